#include "base/utf8.h"

#include <cstddef>
#include <cstdint>

namespace plimsoll::base {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool IsContinuation(unsigned char c) { return (c & 0xc0) == 0x80; }

// Whether a well-formed character may begin with these two bytes: not overlong, no surrogate, at most U+10FFFF.
bool IsAllowedStart(unsigned char lead, unsigned char second) {
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second >= 0xa0;
  const bool too_high = lead == 0xf4 && second >= 0x90;
  return !overlong && !surrogate && !too_high;
}

// The length of the well-formed character at the start of `text`, or 0 when there is none.
std::size_t CharacterLength(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) {
    return 1;
  }
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (!IsContinuation(at(i))) {
      return 0;
    }
  }
  return IsAllowedStart(lead, at(1)) ? length : 0;
}

// The length of the leading ASCII of `text`, eight bytes at a step.
std::size_t AsciiPrefix(std::string_view text) {
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, text.data() + i, 8);
    if ((word & 0x8080808080808080U) != 0) {
      break;
    }
  }
  return i;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(AsciiPrefix(text));
    if (text.empty()) {
      return true;
    }
    const std::size_t length = CharacterLength(text);
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

std::string RepairUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_bad_run = false;
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    if (length == 0) {
      if (!in_bad_run) {
        out += kReplacement;
      }
      in_bad_run = true;
      text.remove_prefix(1);
      continue;
    }
    in_bad_run = false;
    out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace plimsoll::base
