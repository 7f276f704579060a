#pragma once

#include <string_view>

namespace plimsoll::base {

// Whether a text in UTF-8 holds U+0000 to U+001F or U+007F to U+009F.
bool HasControlCharacter(std::string_view text);

// Whether a segment between slashes is empty, `.` or `..`; so an absolute path has one, and a path that ends in a
// slash.
bool HasOddSegment(std::string_view path);

}  // namespace plimsoll::base
