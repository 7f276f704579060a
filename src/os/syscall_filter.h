#pragma once

#include "base/result.h"

namespace plimsoll::os {

// Denies every system call of every thread of this process, for good, but for the list in syscall_filter.cc: reading
// and writing descriptors that are open, memory that is never executable, clocks, waiting, random bytes, and ending. A
// call that is not listed fails with EPERM; one in another instruction set's numbering kills the process. Fault
// kInternal when the kernel does not take the filter.
base::Status InstallSyscallFilter();

}  // namespace plimsoll::os
