#pragma once

#include <optional>
#include <string>
#include <variant>

#include "tools/plimsoll/outcome.h"

namespace plimsoll::tool {

// The text of FILE, or of standard input for `-`. Reads no more than a run may hold. Refuses a file that cannot be
// read, is too long or is not JavaScript.
std::variant<std::string, NothingRan> ReadSource(const std::string& file);

// The caller's token: the first line of `token_file`, else the variable PLIMSOLL_TOKEN, else empty. Never from the
// command line, which every user of the machine can read.
std::variant<std::string, NothingRan> ReadToken(const std::string& token_file);

}  // namespace plimsoll::tool
