#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plimsoll/client_error.h"

namespace plimsoll::client {

enum class Scheme { kHttp, kHttps };

// A base URL that passed every check, taken apart.
struct BaseUrl {
  Scheme scheme = Scheme::kHttp;
  std::string host = {};  // a name or an address, IPv6 without brackets
  std::uint16_t port = 0;
  std::string authority = {};  // host and port as written, for the Host header
  std::string path = {};       // empty, or beginning with a slash and not ending with one

  // The whole, scheme in lower case, no slash at the end.
  std::string Text() const;
};

// Plain http to a host that is not this machine is refused unless allowed.
enum class PlainHttp { kLoopbackOnly, kAnywhere };

// The checks of a base URL in the protocol's order (clients-and-docs.md 1.1). Opens no socket and looks up no name.
// Errors kInvalidBaseUrl and kInsecureHttp; the messages name the rule and never repeat the URL, which may hold a
// password.
Result<BaseUrl> ParseBaseUrl(std::string_view text, PlainHttp plain_http);

}  // namespace plimsoll::client
