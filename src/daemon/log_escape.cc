#include "daemon/log_escape.h"

#include <cstddef>
#include <cstdint>

#include "base/utf8.h"
#include "daemon/log_sink.h"

namespace plimsoll::daemon {
namespace {

// The code point at the start of well-formed UTF-8 and its length in bytes.
struct Character {
  std::uint32_t point;
  std::size_t length;
};
Character First(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = at(0);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  std::uint32_t point = length == 1 ? lead : lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    point = (point << 6) | (at(i) & 0x3fU);
  }
  return {point, length};
}

// Controls, line and paragraph separators, and what turns the direction of text around.
bool MustEscape(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028 || point == 0x2029 ||
         (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

void AppendEscape(std::string& line, std::uint32_t point) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  line += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) {
    line += kDigits[(point >> shift) & 0xfU];
  }
}

// At most kMaxLogText bytes of `text`, not ending within a character that is whole in `text`.
std::string_view Cut(std::string_view text) {
  if (text.size() <= kMaxLogText) {
    return text;
  }
  std::size_t end = kMaxLogText;
  for (int back = 0; back < 3 && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80; ++back) {
    --end;
  }
  return text.substr(0, end);
}

}  // namespace

void AppendJsonText(std::string& line, std::string_view text) {
  const std::string repaired = base::RepairUtf8(Cut(text));
  line += '"';
  for (std::string_view rest = repaired; !rest.empty();) {
    const auto [point, length] = First(rest);
    if (point == '"' || point == '\\') {
      line += '\\';
      line += rest[0];
    } else if (point == '\n') {
      line += "\\n";
    } else if (MustEscape(point)) {
      AppendEscape(line, point);
    } else {
      line += rest.substr(0, length);
    }
    rest.remove_prefix(length);
  }
  line += '"';
}

std::string EscapedText(std::string_view text) {
  std::string out;
  AppendJsonText(out, text);
  return out.substr(1, out.size() - 2);
}

}  // namespace plimsoll::daemon
