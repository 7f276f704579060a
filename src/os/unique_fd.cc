#include "os/unique_fd.h"

#include <fcntl.h>
#include <unistd.h>

namespace plimsoll::os {

void UniqueFd::Close() {
  if (fd_ >= 0) {
    // Linux frees the number whatever close() answers, so it is never tried twice.
    static_cast<void>(::close(std::exchange(fd_, -1)));
  }
}

bool IsOpenDescriptor(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

}  // namespace plimsoll::os
