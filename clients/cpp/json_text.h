#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace plimsoll::client {

// Deeper nesting than any message of the protocol has.
inline constexpr std::size_t kMaxJsonDepth = 64;

// Reads one JSON value strictly: UTF-8, no repeated member, no bare NaN or Infinity, no lone surrogate, no number
// beyond a double, at most kMaxJsonDepth deep, nothing after it. Nothing when the text breaks a rule. `-0` is read as
// the floating-point negative zero, so that its sign is kept.
std::optional<nlohmann::json> ParseStrictJson(std::string_view text);

}  // namespace plimsoll::client
