#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::docker {

// A version of the Engine API, such as 1.41. As numbers: 1.9 is lower than 1.41.
struct ApiVersion {
  int major = 0;
  int minor = 0;
  friend auto operator<=>(const ApiVersion&, const ApiVersion&) = default;
};

// Two decimal numbers of at most four digits without leading zeros and one dot between them, and nothing else.
std::optional<ApiVersion> ParseApiVersion(std::string_view text);
std::string ToText(ApiVersion version);

}  // namespace plimsoll::docker
