#include "providers/docker/preflight/seccomp_profile.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "providers/docker/preflight/wording.h"
#include "providers/docker/settings.h"

namespace plimsoll::docker {
namespace {

constexpr std::string_view kSetting = "SANDBOX_DOCKER_SECCOMP";
constexpr std::size_t kMaxProfile = std::size_t{1} << 20;

}  // namespace

bool IsJsonObject(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' && nlohmann::json::accept(text);
}

base::Result<std::string> LoadSeccomp(const std::string& setting, const ReadFile& read) {
  if (setting.empty() || setting == kNoSeccomp) {
    return setting;
  }
  auto looked = read(setting, kMaxProfile);
  if (!looked) {
    return NotProven(
        kSetting, std::string(base::TextOf(looked.error())) + "; name a profile of at most 1048576 bytes, or unset it");
  }
  std::optional<std::string>& content = *looked;
  if (!content) {
    return NotProven(kSetting, Shown(setting) + " does not exist; name a profile that does, or unset it");
  }
  if (!IsJsonObject(*content)) {
    return NotProven(kSetting, Shown(setting) + " holds no JSON object; name a profile in docker's form, or unset it");
  }
  return *std::move(content);
}

}  // namespace plimsoll::docker
