#pragma once

#include <string_view>

namespace plimsoll::frames::agent {

// Whether `path` names something below a directory and cannot name anything else: UTF-8, 1 to kMaxPath bytes, relative,
// no empty, `.` or `..` segment, no backslash, no control character.
bool IsPathBelow(std::string_view path);

}  // namespace plimsoll::frames::agent
