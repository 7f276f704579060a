#include "tools/plimsoll/terminal.h"

#include <cstdint>

#include "base/hex.h"
#include "base/utf8.h"

namespace plimsoll::tool {
namespace {

enum class Lines { kMany, kOne };

// The length of the character that begins `text`, or 0 when it is not UTF-8. `text` is not empty.
std::size_t CharacterLength(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return length <= text.size() && base::IsUtf8(text.substr(0, length)) ? length : 0;
}

// Code point of one well-formed character.
std::uint32_t CodePoint(std::string_view character) {
  constexpr unsigned char kFirstMask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  std::uint32_t out = static_cast<unsigned char>(character.front()) & kFirstMask[character.size()];
  for (const char c : character.substr(1)) {
    out = out << 6 | (static_cast<unsigned char>(c) & 0x3f);
  }
  return out;
}

bool IsHarmless(std::uint32_t c, Lines lines) {
  if (c == '\n' || c == '\t') {
    return lines == Lines::kMany;
  }
  const bool control = c < 0x20 || (c >= 0x7f && c <= 0x9f);
  const bool bidirectional =
      c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  const bool line_separator = c == 0x2028 || c == 0x2029;
  return !control && !bidirectional && !line_separator;
}

std::string Escape(std::string_view text, Lines lines) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length != 0 && IsHarmless(CodePoint(character), lines)) {
      out += character;
    } else {
      for (const char byte : character) {
        out += "\\x" + base::HexOf(std::as_bytes(std::span(&byte, 1)));
      }
    }
    text.remove_prefix(character.size());
  }
  return out;
}

std::string Painted(Colour colour, std::string_view code, std::string_view text) {
  if (colour == Colour::kOff) {
    return std::string(text);
  }
  return std::string("\x1b[").append(code).append("m").append(text).append("\x1b[0m");
}

}  // namespace

std::string EscapeForTerminal(std::string_view text) { return Escape(text, Lines::kMany); }
std::string EscapeOnOneLine(std::string_view text) { return Escape(text, Lines::kOne); }

std::string Bold(Colour colour, std::string_view text) { return Painted(colour, "1", text); }
std::string Green(Colour colour, std::string_view text) { return Painted(colour, "32", text); }
std::string Yellow(Colour colour, std::string_view text) { return Painted(colour, "33", text); }
std::string Red(Colour colour, std::string_view text) { return Painted(colour, "31", text); }

}  // namespace plimsoll::tool
