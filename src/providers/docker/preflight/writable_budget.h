#pragma once

#include <cstdint>

#include "base/result.h"

namespace plimsoll::docker {

// MiB of /work, from SANDBOX_DISK_MB: what /tmp and /dev/shm leave of it, kWorkMb when it is 0 (unset). Refuses
// kNotProven when they leave none.
base::Result<std::uint32_t> WorkMb(std::uint32_t disk_mb);

}  // namespace plimsoll::docker
