#include "clients/cpp/base_url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace plimsoll::client {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;
constexpr std::size_t kMaxHost = 253;
constexpr std::size_t kMaxLabel = 63;

Error Invalid(std::string_view problem) {
  return {.error_class = ErrorClass::kInvalidBaseUrl,
          .code = Code::kInvalidArgument,
          .not_dispatched = NotDispatched::kRequest,
          .message = std::string("base URL: ").append(problem)};
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string Lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), Lower);
  return out;
}

bool IsVisibleAscii(char c) { return c > 0x20 && c < 0x7f; }
bool IsAlnum(char c) { return (c >= '0' && c <= '9') || (Lower(c) >= 'a' && Lower(c) <= 'z'); }

bool IsIpv6(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

// Dots part labels of 1 to 63 letters, digits, `-` and `_`; one dot may end the name.
bool IsName(std::string_view host) {
  if (host.ends_with('.')) {
    host.remove_suffix(1);
  }
  if (host.size() > kMaxHost) {
    return false;
  }
  while (true) {
    const std::size_t dot = host.find('.');
    const std::string_view label = host.substr(0, dot);
    if (label.empty() || label.size() > kMaxLabel ||
        !std::ranges::all_of(label, [](char c) { return IsAlnum(c) || c == '-' || c == '_'; })) {
      return false;
    }
    if (dot == std::string_view::npos) {
      return true;
    }
    host.remove_prefix(dot + 1);
  }
}

bool IsLoopback(const std::string& host) {
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    return (ntohl(v4.s_addr) >> 24) == 127;
  }
  in6_addr v6{};
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) {
    return IN6_IS_ADDR_LOOPBACK(&v6);
  }
  return host == "localhost";
}

// The host of `authority` into `url`; `rest` becomes what follows it: nothing, or a colon with the port.
std::optional<Error> TakeBracketedHost(std::string_view authority, BaseUrl& url, std::string_view& rest) {
  const std::size_t close = authority.find(']');
  if (close == std::string_view::npos) {
    return Invalid("the host has an open bracket");
  }
  url.host = Lowered(authority.substr(1, close - 1));
  if (!IsIpv6(url.host)) {
    return Invalid("the host in brackets is not an IPv6 address");
  }
  rest = authority.substr(close + 1);
  if (!rest.empty() && !rest.starts_with(':')) {
    return Invalid("there is text between the host and the path");
  }
  return std::nullopt;
}

std::optional<Error> TakeNamedHost(std::string_view authority, BaseUrl& url, std::string_view& rest) {
  const std::size_t colon = std::min(authority.find(':'), authority.size());
  url.host = Lowered(authority.substr(0, colon));
  rest = authority.substr(colon);
  if (!IsName(url.host)) {
    return Invalid("the host cannot be written as labels of 1 to 63 letters, digits, - and _");
  }
  return std::nullopt;
}

// Host and port of `authority`, which is not empty.
std::optional<Error> TakeAuthority(std::string_view authority, BaseUrl& url) {
  std::string_view rest;
  if (auto error =
          authority.starts_with('[') ? TakeBracketedHost(authority, url, rest) : TakeNamedHost(authority, url, rest)) {
    return error;
  }
  url.authority = authority;
  const std::string_view port = rest.substr(std::min<std::size_t>(1, rest.size()));
  if (port.empty()) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (error != std::errc() || end != port.data() + port.size() || url.port == 0) {
    return Invalid("the port is not a number from 1 to 65535");
  }
  return std::nullopt;
}

// What holds for the text as a whole; the order is the protocol's.
std::optional<Error> CheckText(std::string_view text, std::string_view scheme, std::string_view authority) {
  if (scheme.empty() || authority.empty()) {
    return Invalid("it is not absolute, or names no host");
  }
  if (scheme != "http" && scheme != "https") {
    return Invalid("the scheme is neither http nor https");
  }
  if (authority.find('@') != std::string_view::npos || text.find('?') != std::string_view::npos ||
      text.find('#') != std::string_view::npos) {
    return Invalid("it has a user, a query or a fragment");
  }
  if (std::ranges::any_of(text, [](char c) { return (c >= 0 && c <= 0x20) || c == 0x7f; })) {
    return Invalid("it has white space or a control character");
  }
  if (!std::ranges::all_of(text, IsVisibleAscii)) {
    return Invalid("it is not ASCII");
  }
  return std::nullopt;
}

}  // namespace

std::string BaseUrl::Text() const {
  return std::string(scheme == Scheme::kHttps ? "https://" : "http://").append(authority).append(path);
}

Result<BaseUrl> ParseBaseUrl(std::string_view text, PlainHttp plain_http) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') {
    return Invalid("it is empty or has a space around it");
  }
  const std::size_t colon = text.find("://");
  const std::string scheme = colon == std::string_view::npos ? "" : Lowered(text.substr(0, colon));
  const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 3);
  const std::size_t slash = std::min(rest.find_first_of("/?#"), rest.size());
  const std::string_view authority = rest.substr(0, slash);
  if (auto problem = CheckText(text, scheme, authority)) {
    return *std::move(problem);
  }
  BaseUrl url;
  url.scheme = scheme == "https" ? Scheme::kHttps : Scheme::kHttp;
  url.port = url.scheme == Scheme::kHttps ? kHttpsPort : kHttpPort;
  if (auto problem = TakeAuthority(authority, url)) {
    return *std::move(problem);
  }
  url.path = rest.substr(slash);
  while (url.path.ends_with('/')) {
    url.path.pop_back();
  }
  if (url.scheme == Scheme::kHttp && plain_http == PlainHttp::kLoopbackOnly && !IsLoopback(url.host)) {
    return Error{.error_class = ErrorClass::kInsecureHttp,
                 .code = Code::kInvalidArgument,
                 .not_dispatched = NotDispatched::kRequest,
                 .message = "base URL: plain http to another machine needs the option insecure_http"};
  }
  return url;
}

}  // namespace plimsoll::client
