#include "guest/agent/disk.h"

#include <sys/statvfs.h>

namespace plimsoll::guest {

std::optional<std::uint64_t> UsedBytes(std::initializer_list<const char*> places) {
  std::uint64_t used = 0;
  for (const char* place : places) {
    struct statvfs status = {};
    if (::statvfs(place, &status) != 0 || status.f_bfree > status.f_blocks) {
      return std::nullopt;
    }
    used += std::uint64_t{status.f_blocks - status.f_bfree} * status.f_frsize;
  }
  return used;
}

}  // namespace plimsoll::guest
