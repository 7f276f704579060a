#pragma once

#include "os/unique_fd.h"

namespace plimsoll::os {

// The next connection of a listening socket that does not block, itself close-on-exec and non-blocking; not open when
// none is waiting or the machine is out of descriptors.
UniqueFd Accept(int listener);

}  // namespace plimsoll::os
