#pragma once

#include "base/result.h"
#include "os/unique_fd.h"

namespace plimsoll::guest {

// What the agent keeps of what it was started with.
struct Ends {
  os::UniqueFd from_host;  // its standard input, non-blocking
  os::UniqueFd to_host;    // its standard output, non-blocking
  os::UniqueFd signals;    // readable when a child has ended
};

// Makes this process one that its guests cannot read, hold or end by a signal, in the order of the list in settle.cc.
// Called once, first, while it has one thread and no child. A Fault names the step that failed: the process must end.
base::Result<Ends> Settle();

}  // namespace plimsoll::guest
