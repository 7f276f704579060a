#include "base/base64.h"

#include <array>
#include <cstdint>

namespace plimsoll::base {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNotADigit = 0xff;

constexpr std::array<std::uint8_t, 256> MakeDigits() {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNotADigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  digits['-'] = digits['+'];
  digits['_'] = digits['/'];
  return digits;
}
constexpr auto kDigits = MakeDigits();

std::string_view WithoutPadding(std::string_view text) {
  for (int i = 0; i < 2 && text.ends_with('='); ++i) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

std::string Base64Encode(std::string_view bytes, Padding padding) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < have ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      if (j <= have) {
        out.push_back(kAlphabet[group >> (18 - 6 * j) & 0x3f]);
      } else if (padding == Padding::kPadded) {
        out.push_back('=');
      }
    }
  }
  return out;
}

std::optional<std::string> Base64Decode(std::string_view text) {
  const std::string_view digits = WithoutPadding(text);
  if (digits.size() % 4 == 1 || (digits.size() != text.size() && text.size() % 4 != 0)) {
    return std::nullopt;
  }
  std::string out;
  out.reserve(digits.size() / 4 * 3 + 2);
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : digits) {
    const std::uint8_t digit = kDigits[static_cast<unsigned char>(c)];
    if (digit == kNotADigit) {
      return std::nullopt;
    }
    group = (group << 6 | digit) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out.push_back(static_cast<char>(group >> bits & 0xff));
    }
  }
  return out;
}

}  // namespace plimsoll::base
