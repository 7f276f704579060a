#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "http/client.h"
#include "providers/docker/engine/engine.h"
#include "providers/docker/leases.h"

namespace plimsoll::docker {

// How long after its stated end of life a container may be removed by a daemon that does not hold it: the same on all
// daemons, so that none removes what another still uses.
inline constexpr std::chrono::minutes kReapAfter{5};
// How old a host directory must be before it is judged.
inline constexpr std::chrono::minutes kHostDirAge{1};
// What this provider's host directories are called (os/private_dir.h): this and 32 hex digits.
inline constexpr std::string_view kHostDirPrefix = "plimsoll-host-";

// Where host directories are made and looked for: the folder that TMPDIR names, or /tmp where it names none that is
// there.
std::string HostDirRoot();

// The time in a label: Unix seconds as 1 to 12 decimal digits without leading zeros. Nothing for any other text.
std::optional<base::WallTime> ParseExpiry(std::string_view label);

// Force-removes the engine's containers that carry the label io.plimsoll.expires, are not held by this process, and
// whose time is more than kReapAfter before `now`; a label that is no time is left alone. The number that a listing
// afterwards shows to be gone. One that could not be removed is logged and left to the next pass. Fault kUnavailable
// when the engine cannot list, kDeadline or kCanceled at the bounds.
base::Result<std::size_t> Reap(Engine& engine, const Leases& leases, base::WallTime now, const http::Bounds& bounds,
                               base::LogSink& log);

// Removes the host directories under `root` that processes left which are gone (os/private_dir.h, RemoveAbandoned).
base::Result<std::size_t> ReapHostDirectories(const std::string& root, base::WallTime now);

}  // namespace plimsoll::docker
