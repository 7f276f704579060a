#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::docker {

// `os/arch` or `os/arch/variant`, each part 1 to 32 bytes, [a-zA-Z0-9][a-zA-Z0-9._-]*. Taken as written; what names are
// the same platform is another's concern.
struct Platform {
  std::string os;
  std::string architecture;
  std::string variant;  // empty: none
  friend bool operator==(const Platform&, const Platform&) = default;
};

std::optional<Platform> ParsePlatform(std::string_view text);
// As the Engine API takes it where it does not take the text: an OCI platform in JSON.
std::string ToJson(const Platform& platform);

}  // namespace plimsoll::docker
