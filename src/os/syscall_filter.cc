#include "os/syscall_filter.h"

#include <errno.h>
#include <seccomp.h>
#include <sys/mman.h>

#include <memory>
#include <type_traits>

#include "os/errno_fault.h"

namespace plimsoll::os {
namespace {

struct Release {
  void operator()(void* filter) const { seccomp_release(filter); }
};
using Filter = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, Release>;

constexpr int kAllowed[] = {
    // The one descriptor.
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(ppoll),
    // Ending, and coming back from the handler of a fault.
    SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask),
    // Locks between the threads there are.
    SCMP_SYS(futex),
    // Giving memory back, and the heap; growing is below.
    SCMP_SYS(munmap), SCMP_SYS(brk), SCMP_SYS(madvise),
    // Time and randomness.
    SCMP_SYS(clock_gettime), SCMP_SYS(getrandom)};

// Returns 0, or a negative errno as libseccomp does.
int AddRules(void* filter) {
  for (const int call : kAllowed) {
    if (const int error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0); error != 0) {
      return error;
    }
  }
  // Memory that can be written is never executed, and no file is mapped.
  const scmp_arg_cmp not_executable = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
  const scmp_arg_cmp anonymous = SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, MAP_ANONYMOUS);
  if (const int error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, not_executable); error != 0) {
    return error;
  }
  return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2, not_executable, anonymous);
}

}  // namespace

base::Status InstallSyscallFilter() {
  const Filter filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)));
  if (filter == nullptr) {
    return ErrnoFault("make the system call filter", ENOMEM);
  }
  int error = seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  error = error == 0 ? seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1) : error;
  error = error == 0 ? AddRules(filter.get()) : error;
  error = error == 0 ? seccomp_load(filter.get()) : error;
  return error == 0 ? base::Ok() : base::Status(ErrnoFault("install the system call filter", -error));
}

}  // namespace plimsoll::os
