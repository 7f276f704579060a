#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::docker {

inline constexpr std::size_t kMaxJsonDepth = 32;
inline constexpr std::size_t kMaxJsonValues = 100'000;

// The document, or nothing when the text is not one JSON document in UTF-8, or nests or counts more than the bounds
// above. Nothing is built before they are known to hold, so a text of n bytes costs at most about n + 16 MB. The
// caller bounds the text. For answers of which a few members are read and the rest is nobody's business; what a sandbox
// says is read by probes/flat_json instead, which takes one small shape whole and refuses all else.
std::optional<nlohmann::json> ParseBounded(std::string_view text);

}  // namespace plimsoll::docker
