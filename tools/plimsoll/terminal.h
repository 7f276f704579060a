#pragma once

#include <string>
#include <string_view>

namespace plimsoll::tool {

// Text that cannot move a cursor, change a title or reorder what is read: control characters but newline and tab, the
// bidirectional controls, and bytes that are not UTF-8 are written out as `\x1b`. Everything else stays.
std::string EscapeForTerminal(std::string_view text);

// The same on one line: newline and tab are written out too.
std::string EscapeOnOneLine(std::string_view text);

enum class Colour { kOff, kOn };

// Bold, or a colour that says whether to look twice; the text alone where colour is off.
std::string Bold(Colour colour, std::string_view text);
std::string Green(Colour colour, std::string_view text);
std::string Yellow(Colour colour, std::string_view text);
std::string Red(Colour colour, std::string_view text);

}  // namespace plimsoll::tool
