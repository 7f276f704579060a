#include "os/unix_listener.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "os/errno_fault.h"

namespace plimsoll::os {
namespace {

constexpr int kWaiting = 32;

// Nothing when the path is too long for a socket's address.
std::optional<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address = {};
  if (path.size() >= sizeof address.sun_path) {
    return std::nullopt;
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

std::string ByDescriptor(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

UniqueFd NewSocket() { return UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

// SAFETY: the kernel's interface takes every family's address through this pointer; the size is that of the object.
const sockaddr* Generic(const sockaddr_un& address) { return reinterpret_cast<const sockaddr*>(&address); }

}  // namespace

base::Result<UniqueFd> ListenIn(int directory, const std::string& name, unsigned mode) {
  const auto address = AddressOf(ByDescriptor(directory) + "/" + name);
  if (!address || name.empty() || name.find('/') != std::string::npos) {
    return base::Fault{base::FaultKind::kInternal, "a socket's name is empty, too long or a path"};
  }
  UniqueFd socket = NewSocket();
  if (!socket.is_open()) {
    return ErrnoFault("socket AF_UNIX", errno);
  }
  if (::bind(socket.get(), Generic(*address), sizeof *address) != 0) {
    return ErrnoFault("bind a Unix socket", errno);
  }
  if (::fchmodat(directory, name.c_str(), static_cast<mode_t>(mode), 0) != 0) {
    return ErrnoFault("fchmodat a Unix socket", errno);
  }
  if (::listen(socket.get(), kWaiting) != 0) {
    return ErrnoFault("listen on a Unix socket", errno);
  }
  return socket;
}

Listening ProbeSocketIn(int directory, const std::string& name) {
  const UniqueFd file(::openat(directory, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat seen = {};
  if (!file.is_open() || ::fstat(file.get(), &seen) != 0 || !S_ISSOCK(seen.st_mode)) {
    return Listening::kUnknown;
  }
  const auto address = AddressOf(ByDescriptor(file.get()));
  const UniqueFd socket = NewSocket();
  if (!address || !socket.is_open()) {
    return Listening::kUnknown;
  }
  if (::connect(socket.get(), Generic(*address), sizeof *address) == 0 || errno == EAGAIN || errno == EINPROGRESS) {
    return Listening::kYes;
  }
  return errno == ECONNREFUSED ? Listening::kRefused : Listening::kUnknown;
}

}  // namespace plimsoll::os
