#include "base/hex.h"

#include <algorithm>

namespace plimsoll::base {

std::string HexOf(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const std::byte b : bytes) {
    out.push_back(kDigits[std::to_integer<std::size_t>(b >> 4)]);
    out.push_back(kDigits[std::to_integer<std::size_t>(b & std::byte{0x0f})]);
  }
  return out;
}

bool IsLowerHex(std::string_view text, std::size_t digits) {
  return text.size() == digits &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace plimsoll::base
