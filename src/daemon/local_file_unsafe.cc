#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/cleanup.h"
#include "daemon/local_file.h"

namespace plimsoll::daemon {
namespace {

base::Fault Unreadable(const std::string& path, std::string_view reason) {
  return {base::FaultKind::kUnavailable, "cannot read " + path + ": " + std::string(reason)};
}

std::string SystemReason() { return std::generic_category().message(errno); }

}  // namespace

base::Result<LocalFile> ReadLocalFile(const std::string& path, std::size_t max_bytes) {
  // SAFETY: `path` is a terminated string. O_NONBLOCK keeps a FIFO in its place from holding the start up.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    return Unreadable(path, SystemReason());
  }
  // SAFETY: `fd` was opened above and is closed here and nowhere else.
  const base::Cleanup close_it([fd] { ::close(fd); });
  struct stat status{};
  // SAFETY: `fd` is open and `status` is ours.
  if (::fstat(fd, &status) != 0) {
    return Unreadable(path, SystemReason());
  }
  if (!S_ISREG(status.st_mode)) {
    return Unreadable(path, "not a regular file");
  }
  LocalFile file{{}, status.st_mode & 0777U};
  char buffer[16 * 1024];
  while (true) {
    // SAFETY: the kernel writes at most sizeof(buffer) bytes to `buffer`.
    const ssize_t count = ::read(fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return Unreadable(path, SystemReason());
    }
    if (count == 0) {
      return file;
    }
    file.content.append(buffer, static_cast<std::size_t>(count));
    if (file.content.size() > max_bytes) {
      return Unreadable(path, "more than " + std::to_string(max_bytes) + " bytes");
    }
  }
}

}  // namespace plimsoll::daemon
