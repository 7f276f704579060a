#include "rpc/protocol.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace plimsoll::rpc {
namespace {

constexpr Format kFormats[] = {
    {Protocol::kConnect, Codec::kJson, "application/json"},
    {Protocol::kConnect, Codec::kJson, "application/json; charset=utf-8"},
    {Protocol::kConnect, Codec::kProto, "application/proto"},
    {Protocol::kGrpc, Codec::kProto, "application/grpc"},
    {Protocol::kGrpc, Codec::kProto, "application/grpc+proto"},
    {Protocol::kGrpc, Codec::kJson, "application/grpc+json"},
    {Protocol::kGrpcWeb, Codec::kProto, "application/grpc-web"},
    {Protocol::kGrpcWeb, Codec::kProto, "application/grpc-web+proto"},
    {Protocol::kGrpcWeb, Codec::kJson, "application/grpc-web+json"},
};

constexpr std::size_t kLongestContentType = 64;
constexpr std::int64_t kMostHours = 1'000'000;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualIgnoringCase(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, Lower, Lower); }

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Blanks around `;` dropped, one put after it: `a ;b` and `a;b` both become `a; b`.
std::string NormalForm(std::string_view value) {
  const std::size_t semicolon = value.find(';');
  std::string form(Trim(value.substr(0, semicolon)));
  if (semicolon != std::string_view::npos) {
    form.append("; ").append(Trim(value.substr(semicolon + 1)));
  }
  return form;
}

// 1 to `most` digits and nothing else.
std::optional<std::int64_t> ParseDigits(std::string_view text, std::size_t most) {
  const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (text.empty() || text.size() > most || !digits) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A weight of 0, 0.0, 0.00 or 0.000 refuses the coding it stands behind.
bool IsZeroWeight(std::string_view parameter) {
  if (!EqualIgnoringCase(parameter.substr(0, 2), "q=")) {
    return false;
  }
  const std::string_view weight = Trim(parameter.substr(2));
  return !weight.empty() && weight.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

std::optional<Format> ParseContentType(std::string_view value) {
  if (value.size() > kLongestContentType) {
    return std::nullopt;
  }
  const std::string form = NormalForm(value);
  for (const Format& format : kFormats) {
    if (EqualIgnoringCase(format.content_type, form)) {
      return format;
    }
  }
  return std::nullopt;
}

std::string_view AcceptedContentTypes() {
  return "application/json, application/proto, application/grpc, application/grpc+proto, application/grpc+json, "
         "application/grpc-web, application/grpc-web+proto, application/grpc-web+json";
}

std::optional<Compression> ParseCompression(std::optional<std::string_view> value) {
  if (!value || value->empty() || EqualIgnoringCase(*value, "identity")) {
    return Compression::kIdentity;
  }
  if (EqualIgnoringCase(*value, "gzip")) {
    return Compression::kGzip;
  }
  return std::nullopt;
}

bool OffersGzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    const std::size_t comma = accept_encoding.find(',');
    const std::string_view item = accept_encoding.substr(0, comma);
    accept_encoding.remove_prefix(comma == std::string_view::npos ? accept_encoding.size() : comma + 1);
    const std::size_t semicolon = item.find(';');
    if (EqualIgnoringCase(Trim(item.substr(0, semicolon)), "gzip")) {
      return semicolon == std::string_view::npos || !IsZeroWeight(Trim(item.substr(semicolon + 1)));
    }
  }
  return false;
}

std::optional<std::chrono::milliseconds> ParseConnectTimeout(std::string_view value) {
  const std::optional<std::int64_t> number = ParseDigits(value, 10);
  return number ? std::optional(std::chrono::milliseconds(*number)) : std::nullopt;
}

std::optional<std::chrono::nanoseconds> ParseGrpcTimeout(std::string_view value) {
  if (value.empty()) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> number = ParseDigits(value.substr(0, value.size() - 1), 8);
  if (!number) {
    return std::nullopt;
  }
  switch (value.back()) {
    case 'H': return std::chrono::hours(std::min(*number, kMostHours));
    case 'M': return std::chrono::minutes(*number);
    case 'S': return std::chrono::seconds(*number);
    case 'm': return std::chrono::milliseconds(*number);
    case 'u': return std::chrono::microseconds(*number);
    case 'n': return std::chrono::nanoseconds(*number);
    default: return std::nullopt;  // a character, not an enumerator
  }
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte <= 0x7e && c != '%') {
      out.push_back(c);
    } else {
      out.push_back('%');
      out.push_back(kDigits[byte >> 4]);
      out.push_back(kDigits[byte & 15]);
    }
  }
  return out;
}

}  // namespace plimsoll::rpc
