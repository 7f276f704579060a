#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isolation/tier.h"
#include "providers/docker/engine/engine.h"
#include "providers/docker/settings.h"

namespace plimsoll::docker {

// The one runtime that can earn the tier `kernel` (providers-local.md 4).
inline constexpr std::string_view kRunsc = "runsc";

enum class Role : std::uint8_t { kSnippet, kProject, kModule };

// One image as a preflight saw it.
struct VerifiedImage {
  std::string reference = {};                 // as configured
  std::string id = {};                        // `sha256:...`; what containers are made from
  std::vector<std::string> environment = {};  // `NAME=value`
  std::string identity = {};                  // `docker-image:sha256:...`
  std::string software_identity = {};         // `oci-manifest:...`, or empty
  std::vector<std::string> languages = {};    // `javascript`, `python`: those the smoke test ran, so empty before it
};

// What one successful preflight established. Immutable: a run keeps the state it started with.
struct State {
  std::shared_ptr<Engine> engine;
  isolation::Tier tier = isolation::Tier::kContainer;
  std::string runtime = {};          // as in HostConfig.Runtime; empty: the engine's default
  std::string runtime_version = {};  // for the probe report
  std::string platform = {};         // stated to the engine; empty: its own choice
  std::string seccomp = {};          // the profile's content, `unconfined`, or empty
  std::string agent_sha256 = {};     // hex, of the agent program that is mounted into sandboxes
  std::uint32_t work_mb = kWorkMb;
  std::map<Role, VerifiedImage> images;
};

}  // namespace plimsoll::docker
