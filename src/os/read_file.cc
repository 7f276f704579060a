#include "os/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "os/errno_fault.h"
#include "os/unique_fd.h"

namespace plimsoll::os {

base::Result<std::optional<std::string>> ReadFile(const std::string& path, std::size_t most) {
  // O_NONBLOCK: a FIFO in its place opens at once, and is refused below.
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return std::optional<std::string>();
    }
    return ErrnoFault("open " + path, errno);
  }
  struct stat seen = {};
  if (::fstat(file.get(), &seen) != 0) {
    return ErrnoFault("fstat " + path, errno);
  }
  if (!S_ISREG(seen.st_mode)) {
    return base::Fault{base::FaultKind::kInternal, path + " is not a regular file"};
  }
  auto content = ReadUpTo(file.get(), most + 1);
  if (!content) {
    return base::Fault{base::FaultKind::kInternal, path + ": " + std::string(base::TextOf(content.error()))};
  }
  if (content->size() > most) {
    return base::Fault{base::FaultKind::kInternal, path + " has more than " + std::to_string(most) + " bytes"};
  }
  return std::optional(std::move(*content));
}

base::Result<std::string> ReadUpTo(int fd, std::size_t most) {
  std::string content;
  std::array<char, std::size_t{16} * 1024> buffer;
  while (content.size() < most) {
    const ssize_t size = ::read(fd, buffer.data(), std::min(buffer.size(), most - content.size()));
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size < 0) {
      return ErrnoFault("read a file", errno);
    }
    if (size == 0) {
      break;
    }
    content.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return content;
}

}  // namespace plimsoll::os
