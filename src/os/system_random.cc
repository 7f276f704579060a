#include "os/system_random.h"

#include <sys/random.h>

#include <cerrno>

#include "base/check.h"

namespace plimsoll::os {

void SystemRandom::Fill(std::span<std::byte> out) {
  while (!out.empty()) {
    const ssize_t got = ::getrandom(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    PLIMSOLL_CHECK(got > 0);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace plimsoll::os
