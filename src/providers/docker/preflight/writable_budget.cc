#include "providers/docker/preflight/writable_budget.h"

#include <string>

#include "providers/docker/preflight/wording.h"
#include "providers/docker/settings.h"

namespace plimsoll::docker {

base::Result<std::uint32_t> WorkMb(std::uint32_t disk_mb) {
  constexpr std::uint32_t kOthers = kTmpMb + kShmMb;
  if (disk_mb == 0) {
    return kWorkMb;
  }
  if (disk_mb <= kOthers) {
    return NotProven("SANDBOX_DISK_MB", std::to_string(disk_mb) + " leaves nothing for /work beside " +
                                            std::to_string(kTmpMb) + " of /tmp and " + std::to_string(kShmMb) +
                                            " of /dev/shm; set at least " + std::to_string(kOthers + 1));
  }
  return disk_mb - kOthers;
}

}  // namespace plimsoll::docker
