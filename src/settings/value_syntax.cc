#include "settings/value_syntax.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <system_error>

namespace plimsoll::settings {
namespace {

constexpr std::size_t kMaxQuoted = 64;
constexpr std::size_t kMaxHost = 253;  // the longest DNS name

base::Fault Bad(std::string_view text, std::string_view rule) {
  return {base::FaultKind::kInternal, Quoted(text) + " is not " + std::string(rule)};
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
// Longer names before those they begin with, so that the first match is the right one.
constexpr std::array<Unit, 6> kUnits = {{{"ns", 1},
                                         {"us", 1'000},
                                         {"ms", 1'000'000},
                                         {"s", 1'000'000'000},
                                         {"m", 60'000'000'000},
                                         {"h", 3'600'000'000'000}}};

// Takes `12`, `12.5` or `.5` from the front of `text` and its unit after it; nothing when either is missing or the
// value passes 64 bits of nanoseconds.
std::optional<std::int64_t> TakeTerm(std::string_view& text) {
  const std::size_t whole_end = static_cast<std::size_t>(std::ranges::find_if_not(text, IsDigit) - text.begin());
  const std::string_view digits = text.substr(0, whole_end);
  std::int64_t whole = 0;
  if (!digits.empty() && std::from_chars(digits.data(), digits.data() + digits.size(), whole).ec != std::errc{}) {
    return std::nullopt;
  }
  std::size_t end = whole_end;
  if (end < text.size() && text[end] == '.') {
    ++end;
    while (end < text.size() && IsDigit(text[end])) {
      ++end;
    }
  }
  const std::string_view fraction = end > whole_end ? text.substr(whole_end + 1, end - whole_end - 1) : "";
  const std::string_view rest = text.substr(end);
  const auto* unit = std::ranges::find_if(kUnits, [&](const Unit& u) { return rest.starts_with(u.name); });
  if ((whole_end == 0 && fraction.empty()) || unit == kUnits.end()) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  if (__builtin_mul_overflow(whole, unit->nanoseconds, &value)) {
    return std::nullopt;
  }
  std::int64_t scale = unit->nanoseconds;
  std::int64_t part = 0;
  for (const char digit : fraction) {
    scale /= 10;  // digits below a nanosecond fall away
    part += scale * (digit - '0');
  }
  if (__builtin_add_overflow(value, part, &value)) {
    return std::nullopt;
  }
  text = rest.substr(unit->name.size());
  return value;
}

// Four decimal numbers of 0 to 255 with dots between them, the first of them 127.
bool IsLoopbackV4(std::string_view host) {
  int parts = 0;
  for (std::size_t start = 0; start <= host.size(); ++parts) {
    const std::size_t dot = std::min(host.find('.', start), host.size());
    const std::string_view part = host.substr(start, dot - start);
    int value = -1;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || end != part.data() + part.size() || part.size() > 3 || value < 0 || value > 255 ||
        (parts == 0 && value != 127)) {
      return false;
    }
    start = dot + 1;
  }
  return parts == 4;
}

bool IsHostCharacter(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
}

bool IsV6Character(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
}

}  // namespace

std::string_view TrimmedValue(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

std::string Quoted(std::string_view text) {
  return "\"" + std::string(text.substr(0, kMaxQuoted)) + (text.size() > kMaxQuoted ? "..." : "") + "\"";
}

base::Result<std::int64_t> ParseInt(std::string_view text) {
  constexpr std::string_view kRule = "a whole number within 64 bits";
  std::string_view digits = TrimmedValue(text);
  if (digits.size() > 1 && digits[0] == '+' && IsDigit(digits[1])) {
    digits.remove_prefix(1);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    return Bad(text, kRule);
  }
  return value;
}

base::Result<double> ParseFloat(std::string_view text) {
  constexpr std::string_view kRule = "a finite decimal number of 0 or more";
  std::string_view number = TrimmedValue(text);
  if (number.size() > 1 && number[0] == '+') {
    number.remove_prefix(1);
  }
  if (number.empty() || !(IsDigit(number[0]) || number[0] == '.')) {
    return Bad(text, kRule);  // a sign, `nan` or `inf`
  }
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc{} || end != number.data() + number.size() || !std::isfinite(value)) {
    return Bad(text, kRule);
  }
  return value;
}

base::Result<bool> ParseBool(std::string_view text) {
  const std::string word = LowerCase(TrimmedValue(text));
  if (word == "1" || word == "true") {
    return true;
  }
  if (word == "0" || word == "false") {
    return false;
  }
  return Bad(text, "one of 0, false, 1, true");
}

base::Result<std::chrono::nanoseconds> ParseDuration(std::string_view text) {
  constexpr std::string_view kRule = "a duration such as 90s or 1h30m, units ns us ms s m h";
  std::string_view rest = TrimmedValue(text);
  if (rest == "0") {
    return std::chrono::nanoseconds(0);
  }
  if (rest.empty()) {
    return Bad(text, kRule);
  }
  std::int64_t total = 0;
  while (!rest.empty()) {
    const auto term = TakeTerm(rest);
    if (!term || __builtin_add_overflow(total, *term, &total)) {
      return Bad(text, kRule);
    }
  }
  return std::chrono::nanoseconds(total);
}

std::string DurationText(std::chrono::nanoseconds value) {
  std::int64_t left = value.count();
  if (left <= 0) {
    return "0";
  }
  std::string text;
  for (const std::string_view name : {"h", "m", "s", "ms", "us", "ns"}) {
    const std::int64_t size = std::ranges::find(kUnits, name, &Unit::name)->nanoseconds;
    if (left >= size) {
      text += std::to_string(left / size) + std::string(name);
      left %= size;
    }
  }
  return text;
}

base::Result<Address> ParseAddress(std::string_view text) {
  constexpr std::string_view kRule = "an address of the form host:port, :port or [v6]:port";
  const std::string_view whole = TrimmedValue(text);
  const std::size_t colon = whole.rfind(':');
  if (colon == std::string_view::npos) {
    return Bad(text, kRule);
  }
  const std::string_view port_text = whole.substr(colon + 1);
  std::uint32_t port = 0;
  const auto [end, error] = std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  if (error != std::errc{} || end != port_text.data() + port_text.size() || port > 65'535) {
    return Bad(text, "an address with a port of 0 to 65535");
  }
  std::string_view host = whole.substr(0, colon);
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) {
    host = host.substr(1, host.size() - 2);
  }
  const bool plain = host.size() <= kMaxHost && std::ranges::all_of(host, bracketed ? IsV6Character : IsHostCharacter);
  if (!plain || (bracketed && host.find(':') == std::string_view::npos)) {
    return Bad(text, kRule);
  }
  return Address{std::string(host), static_cast<std::uint16_t>(port)};
}

std::string AddressText(const Address& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

bool IsLoopback(const Address& address) {
  return LowerCase(address.host) == "localhost" || address.host == "::1" || IsLoopbackV4(address.host);
}

}  // namespace plimsoll::settings
