#include "guest/agent/identity.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "guest/agent/digest.h"
#include "os/errno_fault.h"
#include "os/unique_fd.h"

namespace plimsoll::guest {
namespace {

base::Result<std::string> OwnDigest() {
  const os::UniqueFd program(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  if (!program.is_open()) {
    return os::ErrnoFault("open the agent's own program", errno);
  }
  std::string digest = Sha256OfDescriptor(program.get());
  if (digest.empty()) {
    return os::ErrnoFault("read the agent's own program", errno);
  }
  return digest;
}

}  // namespace

base::Result<frames::agent::Ready> Identity() {
  auto digest = OwnDigest();
  if (!digest) {
    return digest.error();
  }
  return frames::agent::Ready{
      .version = PLIMSOLL_VERSION, .sha256 = std::move(digest).value(), .pid = ::getpid(), .uid = ::getuid()};
}

}  // namespace plimsoll::guest
