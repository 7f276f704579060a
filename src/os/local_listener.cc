#include "os/local_listener.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "os/errno_fault.h"

namespace plimsoll::os {

base::Result<ScratchFolder> ScratchFolder::Create(const std::string& prefix) {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / (prefix + "XXXXXX")).string();
  if (error) {
    return base::Fault{base::FaultKind::kInternal, "find the folder for temporary files: " + error.message()};
  }
  if (::mkdtemp(path.data()) == nullptr) {
    return ErrnoFault("make a temporary folder", errno);
  }
  return ScratchFolder(std::move(path));
}

ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
}

base::Result<LocalListener> LocalListener::Create(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return ErrnoFault("name a local socket", ENAMETOOLONG);
  }
  path.copy(address.sun_path, path.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open()) {
    return ErrnoFault("make a local socket", errno);
  }
  // SAFETY: bind reads sizeof(address) bytes of `address`, which is alive.
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return ErrnoFault("bind a local socket", errno);
  }
  if (::chmod(path.c_str(), 0666) != 0 || ::listen(socket.get(), 16) != 0) {
    return ErrnoFault("open a local socket to others", errno);
  }
  return LocalListener(std::move(socket));
}

UniqueFd LocalListener::Accept(std::chrono::milliseconds longest) {
  pollfd waiting = {.fd = socket_.get(), .events = POLLIN, .revents = 0};
  if (::poll(&waiting, 1, static_cast<int>(longest.count())) <= 0) {
    return UniqueFd();
  }
  return UniqueFd(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

}  // namespace plimsoll::os
