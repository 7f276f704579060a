#include "os/accept.h"

#include <sys/socket.h>

namespace plimsoll::os {

UniqueFd Accept(int listener) { return UniqueFd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)); }

}  // namespace plimsoll::os
