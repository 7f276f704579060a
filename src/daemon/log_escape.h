#pragma once

#include <string>
#include <string_view>

namespace plimsoll::daemon {

// Appends `text` in double quotes as a JSON string: cut, repaired and escaped as LogLine says.
void AppendJsonText(std::string& line, std::string_view text);
// The same without the quotes.
std::string EscapedText(std::string_view text);

}  // namespace plimsoll::daemon
