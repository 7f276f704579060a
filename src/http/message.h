#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace plimsoll::http {

struct Header {
  std::string name;  // lowercase
  std::string value;
  friend bool operator==(const Header&, const Header&) = default;
};

// Header fields in the order received or to be sent.
class Headers {
 public:
  // The name is stored in lower case. The value is stored as it is: see Sendable.
  void Add(std::string_view name, std::string_view value);

  // The value when the field is there exactly once; nothing when it is absent or repeated.
  std::optional<std::string_view> Only(std::string_view lowercase_name) const PLIMSOLL_LIFETIMEBOUND;
  // The first value, or nothing.
  std::optional<std::string_view> First(std::string_view lowercase_name) const PLIMSOLL_LIFETIMEBOUND;
  std::size_t Count(std::string_view lowercase_name) const;
  // Whether every name and value may go out on a connection: no empty name, no line break, no NUL.
  bool Sendable() const;

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  bool empty() const { return fields_.empty(); }

 private:
  std::vector<Header> fields_;
};

enum class Version { kHttp1, kHttp2 };

// A request's head, known before any byte of its body is read.
struct RequestHead {
  std::string method;
  std::string target;  // path and query as sent; `*` for `OPTIONS *`
  Version version = Version::kHttp1;
  Headers headers;
  std::optional<std::uint64_t> declared_length;  // absent when the sender does not say
};

// An answer. The server itself writes `content-length`, `connection` and `transfer-encoding`; those of the handler are
// dropped. A header that may not be sent (Headers::Sendable) turns the answer into an empty 500.
struct Response {
  int status = 200;  // 200 to 599
  Headers headers;
  std::string body;
  // HTTP/2 only: a trailer block after the body. With an empty body too, the answer is one header block that ends the
  // stream (gRPC's trailers-only form), and the trailers are appended to it.
  Headers trailers;
};

}  // namespace plimsoll::http
