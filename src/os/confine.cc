#include "os/confine.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "os/errno_fault.h"
#include "os/syscall_filter.h"

namespace plimsoll::os {
namespace {

// `nobody` on every Linux distribution, and the kernel's own overflow id.
constexpr uid_t kNobody = 65534;

constexpr unsigned kLastDescriptor = ~0U;

base::Status Check(const char* step, long result) {
  return result == 0 ? base::Ok() : base::Status(ErrnoFault(step, errno));
}

base::Status Limit(const char* step, __rlimit_resource resource, std::uint64_t value) {
  const rlimit limit = {.rlim_cur = value, .rlim_max = value};
  return Check(step, setrlimit(resource, &limit));
}

// SAFETY: the raw calls from here on pass either plain numbers or structures on this stack of the size the kernel
// expects.
base::Status KeepOnly(int kept) {
  if (kept != kConfinedDescriptor && dup2(kept, kConfinedDescriptor) != kConfinedDescriptor) {
    return ErrnoFault("keep the descriptor", errno);
  }
  static_cast<void>(close(STDOUT_FILENO));
  return Check("close_range", syscall(SYS_close_range, STDERR_FILENO + 1, kLastDescriptor, 0));
}

// Clearing the list leaves the text where the kernel put it, so the text goes first.
base::Status ClearEnvironment() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    explicit_bzero(*entry, strlen(*entry));
  }
  return Check("clearenv", clearenv());
}

enum class Capabilities { kNone, kAllPermitted };

base::Status SetCapabilities(Capabilities wanted) {
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (wanted == Capabilities::kAllPermitted) {
    if (const auto read = Check("capget", syscall(SYS_capget, &header, data)); !read) {
      return read;
    }
    for (auto& part : data) {
      part.effective = part.permitted;
    }
  }
  return Check("capset", syscall(SYS_capset, &header, data));
}

// Takes the result of a step that the host may not allow; the steps after it hold without it.
void WhereAllowed(long /*result*/) {}
void WhereAllowed(const base::Status& /*result*/) {}

// Started by root, the process goes on as nobody. Capabilities are kept for the namespaces that follow, and dropped
// there.
void BecomeNobody() {
  if (geteuid() != 0) {
    return;
  }
  WhereAllowed(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0));
  WhereAllowed(setgroups(0, nullptr));
  WhereAllowed(setresgid(kNobody, kNobody, kNobody));
  WhereAllowed(setresuid(kNobody, kNobody, kNobody));
  WhereAllowed(SetCapabilities(Capabilities::kAllPermitted));
}

// One call for all; where a kernel or a container's own filter refuses some, those that it allows are still taken.
void EnterNamespaces() {
  constexpr int kOthers = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS;
  if (unshare(CLONE_NEWUSER | kOthers) == 0) {
    return;
  }
  WhereAllowed(unshare(CLONE_NEWUSER));
  for (const int kind : {CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWNS}) {
    WhereAllowed(unshare(kind));
  }
}

// An empty read-only file system in the place of the host's.
void EnterEmptyRoot() {
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;
  // The first call cuts the namespace off from the host's, so that no later one is seen there.
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("none", "/proc", "tmpfs", kFlags, "nr_inodes=2,size=4k") != 0 || chdir("/proc") != 0 ||
      syscall(SYS_pivot_root, ".", ".") != 0) {
    return;
  }
  // The old root lies over the new one until it is let go.
  WhereAllowed(umount2(".", MNT_DETACH));
  WhereAllowed(chdir("/"));
}

base::Status SetLimits(const Confinement& confinement) {
  const auto cpu = static_cast<std::uint64_t>(confinement.cpu_time.count());
  base::Status status = Limit("limit data", RLIMIT_DATA, confinement.data_bytes);
  status = status ? Limit("limit cpu", RLIMIT_CPU, cpu) : status;
  status = status ? Limit("limit core", RLIMIT_CORE, 0) : status;
  status = status ? Limit("limit descriptors", RLIMIT_NOFILE, kConfinedDescriptor + 1) : status;
  status = status ? Limit("limit locked memory", RLIMIT_MEMLOCK, 0) : status;
  return status ? Limit("limit message queues", RLIMIT_MSGQUEUE, 0) : status;
}

}  // namespace

base::Status Confine(const Confinement& confinement) {
  // 1. Descriptors first: whatever was inherited is out of reach of everything that follows.
  base::Status status = KeepOnly(confinement.kept_descriptor);
  // 2. The environment: nothing of the parent's words, which may hold secrets, stays in memory.
  status = status ? ClearEnvironment() : status;
  // 3. No program could give privileges back. Also what lets a process without privileges set a system call filter.
  status = status ? Check("no_new_privs", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) : status;
  if (!status) {
    return status;
  }
  // 4. Another user, while there are capabilities to become one.
  BecomeNobody();
  // 5. Namespaces, while there may be capabilities for them: no network, no shared memory, no mounts of the host.
  EnterNamespaces();
  // 6. No files, while the mount namespace still grants the right to change its root.
  EnterEmptyRoot();
  // 7. Capabilities, those of the new user namespace included: nothing after this needs one.
  status = SetCapabilities(Capabilities::kNone);
  // 8. Limits: what one process may use of the machine.
  status = status ? SetLimits(confinement) : status;
  // 9. Not dumpable: no process of the same user may trace it or read its memory. After 4, which resets it.
  status = status ? Check("not dumpable", prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) : status;
  // 10. It does not outlive the thread that started it. After 4, which resets it.
  return status ? Check("parent death signal", prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)) : status;
}

base::Status Seal() {
  // 11. No process or thread more. The filter denies it as well; this one holds without it.
  base::Status status = Limit("limit processes", RLIMIT_NPROC, 0);
  // 12. Standard error, kept so far to say why a step failed, and with it the last file that could be written to.
  static_cast<void>(close(STDERR_FILENO));
  status = status ? Limit("limit file size", RLIMIT_FSIZE, 0) : status;
  // 13. The filter last: it denies the calls that the steps above make.
  return status ? InstallSyscallFilter() : status;
}

}  // namespace plimsoll::os
