#pragma once

#include <chrono>
#include <cstdint>

#include "base/result.h"

namespace plimsoll::os {

// The number under which a confined process has its one descriptor.
inline constexpr int kConfinedDescriptor = 0;

// What a confined process keeps.
struct Confinement {
  int kept_descriptor;  // becomes kConfinedDescriptor, the only one left but for standard error, which Seal closes
  std::uint64_t data_bytes = 0;      // RLIMIT_DATA: private writable memory, stacks included
  std::chrono::seconds cpu_time{0};  // RLIMIT_CPU, over the whole life of the process
};

// Takes away what the process does not need, for good, in the order of the list in confine.cc. Called once, while the
// process has one thread. Namespaces, an empty root and another user are taken where the host allows them; every other
// step is one that each supported kernel offers, and where it fails the result is a Fault that names it: the process
// must then end.
base::Status Confine(const Confinement& confinement);

// The second half, once every thread exists and before the first hostile byte is read: no new processes or threads, no
// standard error, and the system call filter of syscall_filter.h. As Confine, a Fault means that the process must end.
base::Status Seal();

}  // namespace plimsoll::os
