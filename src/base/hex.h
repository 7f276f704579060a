#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::base {

// Lowercase hex, two digits a byte.
std::string HexOf(std::span<const std::byte> bytes);

// True when `text` is exactly `digits` characters of `0-9a-f`.
bool IsLowerHex(std::string_view text, std::size_t digits);

}  // namespace plimsoll::base
