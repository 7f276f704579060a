#include "providers/docker/preflight/engine_rules.h"

#include <array>
#include <utility>

#include "providers/docker/preflight/wording.h"
#include "providers/docker/state.h"

namespace plimsoll::docker {
namespace {

constexpr std::string_view kSetting = "SANDBOX_DOCKER_RUNTIME";

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string NamesOf(const EngineInfo& info) {
  std::string names;
  for (const auto& [name, path] : info.runtimes) {
    names += names.empty() ? "" : ", ";
    names += name;
  }
  return names.empty() ? "none" : Shown(names);
}

}  // namespace

base::Status CheckControllers(const EngineInfo& info) {
  const std::array<std::pair<bool, std::string_view>, 4> controllers = {{
      {info.memory_limit, "memory"},
      {info.swap_limit, "memory swap"},
      {info.pids_limit, "pids"},
      {info.cpu_quota, "cpu quota"},
  }};
  std::string missing;
  for (const auto& [present, name] : controllers) {
    if (!present) {
      missing += missing.empty() ? "" : ", ";
      missing += name;
    }
  }
  if (missing.empty()) {
    return base::Ok();
  }
  return NotProven("control groups", "the engine's host lacks the controllers " + missing +
                                         "; enable them in its kernel's settings, limits cannot hold without");
}

base::Result<isolation::Tier> TierOfRuntime(std::string_view configured, const EngineInfo& info) {
  if (configured.empty()) {
    return isolation::Tier::kContainer;
  }
  const auto registered = info.runtimes.find(std::string(configured));
  if (registered == info.runtimes.end()) {
    return NotProven(kSetting, "the engine has no runtime " + Shown(configured) + ", it has " + NamesOf(info) +
                                   "; register it with the engine, or name another");
  }
  if (configured != kRunsc) {
    return isolation::Tier::kContainer;
  }
  if (BaseName(registered->second) != kRunsc) {
    return NotProven(kSetting, "runsc is registered as the program " + Shown(registered->second) +
                                   ", which is not named runsc; register gVisor's own program");
  }
  return isolation::Tier::kKernel;
}

std::string RuntimeVersion(std::string_view configured, const EngineInfo& info, const EngineVersion& version) {
  std::string name(configured.empty() ? std::string_view(info.default_runtime) : configured);
  const auto component = version.components.find(name);
  return component == version.components.end() ? name : name + " " + component->second;
}

}  // namespace plimsoll::docker
