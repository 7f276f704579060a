#pragma once

#include <string>
#include <string_view>

namespace plimsoll::base {

// True when `text` is well-formed UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
bool IsUtf8(std::string_view text);

// `text` with every maximal run of invalid bytes replaced by one U+FFFD; valid text comes back unchanged.
std::string RepairUtf8(std::string_view text);

}  // namespace plimsoll::base
