#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::base {

enum class Padding { kPadded, kUnpadded };

// Standard base64 (RFC 4648 section 4).
std::string Base64Encode(std::string_view bytes, Padding padding);

// Accepts the standard and the URL-safe alphabet, with or without padding. Nothing when the text is not base64:
// a stray character, a length no encoder makes, or misplaced padding.
std::optional<std::string> Base64Decode(std::string_view text);

}  // namespace plimsoll::base
