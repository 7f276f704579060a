#include "providers/docker/engine/platform.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::docker {
namespace {

bool IsPart(std::string_view text) {
  const auto alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && text.size() <= 32 && alphanumeric(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return alphanumeric(c) || c == '.' || c == '_' || c == '-'; });
}

}  // namespace

std::optional<Platform> ParsePlatform(std::string_view text) {
  std::vector<std::string> parts;
  while (parts.size() < 3) {
    const std::size_t slash = text.find('/');
    const std::string_view part = text.substr(0, slash);
    if (!IsPart(part)) {
      return std::nullopt;
    }
    parts.emplace_back(part);
    if (slash == std::string_view::npos) {
      if (parts.size() < 2) {
        return std::nullopt;
      }
      parts.resize(3);
      return Platform{.os = parts[0], .architecture = parts[1], .variant = parts[2]};
    }
    text.remove_prefix(slash + 1);
  }
  return std::nullopt;
}

std::string ToJson(const Platform& platform) {
  nlohmann::ordered_json object{{"os", platform.os}, {"architecture", platform.architecture}};
  if (!platform.variant.empty()) {
    object["variant"] = platform.variant;
  }
  return object.dump();
}

}  // namespace plimsoll::docker
