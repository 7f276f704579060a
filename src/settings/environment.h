#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::settings {

// The variables of the process, handed in by main: nothing here asks the system for one. Of a name given twice the
// first holds, as with getenv.
using Environment = std::vector<std::pair<std::string, std::string>>;

// The value of `name`, or nothing when it is absent. The empty text is a value here.
std::optional<std::string_view> ValueIn(const Environment& environment, std::string_view name);

// The names that begin PLIMSOLL_ or SANDBOX_ and are in no row of the table, sorted, each once.
std::vector<std::string> UnknownNames(const Environment& environment);

}  // namespace plimsoll::settings
