#pragma once

#include <string_view>

#include "base/error.h"

namespace plimsoll::os {

// The fault for a system call that failed: kOverloaded when the machine ran out of something (descriptors, memory,
// processes), kInternal otherwise. `what` names the call and its subject; `error` is the errno seen.
base::Fault ErrnoFault(std::string_view what, int error);

}  // namespace plimsoll::os
