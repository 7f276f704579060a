#include "providers/docker/engine/api_version.h"

#include <algorithm>

namespace plimsoll::docker {
namespace {

std::optional<int> Number(std::string_view text) {
  const bool digits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || text.empty() || text.size() > 4 || (text.size() > 1 && text.front() == '0')) {
    return std::nullopt;
  }
  int value = 0;
  for (const char c : text) {
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

std::optional<ApiVersion> ParseApiVersion(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) {
    return std::nullopt;
  }
  const auto major = Number(text.substr(0, dot));
  const auto minor = Number(text.substr(dot + 1));
  if (!major || !minor) {
    return std::nullopt;
  }
  return ApiVersion{.major = *major, .minor = *minor};
}

std::string ToText(ApiVersion version) { return std::to_string(version.major) + "." + std::to_string(version.minor); }

}  // namespace plimsoll::docker
