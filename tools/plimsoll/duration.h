#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace plimsoll::tool {

// Reads a time like `90s`, `500ms` or `1m30s`: whole numbers with `h`, `m`, `s` or `ms`, largest unit first, each at
// most once, at most 24 hours together. Nothing for any other text.
std::optional<std::chrono::milliseconds> ParseDuration(std::string_view text);

}  // namespace plimsoll::tool
