#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "providers/docker/settings.h"
#include "providers/docker/state.h"

namespace plimsoll::docker {

// Where things are inside every container.
inline constexpr std::string_view kAgentInside = "/run/plimsoll-guest";
inline constexpr std::string_view kHostSocketInside = "/run/host-api.sock";
inline constexpr std::string_view kWorkInside = "/work";

// The files of the host that one container has, all mounted read-only. Absolute paths without a colon.
struct Mounted {
  std::string agent;
  std::string resolver;     // holds kResolverText
  std::string host_socket;  // empty: none. Mounted so that it can be connected to; the name cannot be changed
};

// What a container is made for: one run, or the calls of one session. Its settings are the same, its labels differ.
enum class Purpose : std::uint8_t { kRun, kSession };

// The body of POST /containers/create for one container: every row of providers-local.md 5 and nothing of the daemon's
// environment (DOC-1). A pure function; `role` must have an image in `state`. `ends` is rounded up to whole seconds.
std::string ContainerSpec(const Settings& settings, const State& state, Role role, base::WallTime ends,
                          const Mounted& mounted, Purpose purpose = Purpose::kRun);

// `/tmp` and such: the options of one writable place, exactly as a container has them.
std::string TmpfsOptions(std::uint32_t size_mb);

}  // namespace plimsoll::docker
