#include "guest/agent/settle.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "guest/agent/numbered.h"
#include "os/errno_fault.h"

namespace plimsoll::guest {
namespace {

// Above every number a guest's program expects to mean something.
constexpr int kFirstOwnDescriptor = 64;
constexpr int kHighestSignal = 64;
constexpr unsigned kAllAbove = ~0U;

// The environment of the container belongs to guests; nothing here reads it. The bytes go as well as the list.
void ForgetEnvironment() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    ::explicit_bzero(*entry, std::strlen(*entry));
  }
  static_cast<void>(::clearenv());
}

// A process that is not dumpable cannot be read, traced or looked into through /proc by another of its user.
base::Status ForbidLooking() {
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0) {
    return os::ErrnoFault("become a process that others cannot look into", errno);
  }
  return base::Ok();
}

// SAFETY: the kernel's own layout of rt_sigaction, a plain value; libc refuses the two numbers it keeps for itself,
// which a guest can send all the same.
int IgnoreSignal(int number) {
  struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)();
    std::uint64_t mask;
  } action = {.handler = SIG_IGN, .flags = 0, .restorer = nullptr, .mask = 0};
  return static_cast<int>(::syscall(SYS_rt_sigaction, number, &action, nullptr, sizeof action.mask));
}

// Every signal that can be caught is ignored: the first process of a sandbox is ended by those it leaves alone under
// runsc. SIGCHLD is blocked and read from a descriptor instead.
base::Result<os::UniqueFd> TakeSignals() {
  for (int number = 1; number <= kHighestSignal; ++number) {
    const bool catchable = number != SIGKILL && number != SIGSTOP && number != SIGCHLD;
    if (catchable && IgnoreSignal(number) != 0) {
      return os::ErrnoFault("ignore signal " + std::to_string(number), errno);
    }
  }
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  os::UniqueFd signals(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.is_open() || ::sigprocmask(SIG_SETMASK, &child, nullptr) != 0) {
    return os::ErrnoFault("take SIGCHLD from a descriptor", errno);
  }
  return signals;
}

base::Result<os::UniqueFd> MoveAside(int fd) {
  os::UniqueFd moved(::fcntl(fd, F_DUPFD_CLOEXEC, kFirstOwnDescriptor));
  if (!moved.is_open() || ::fcntl(moved.get(), F_SETFL, ::fcntl(moved.get(), F_GETFL) | O_NONBLOCK) != 0) {
    return os::ErrnoFault("move descriptor " + std::to_string(fd) + " aside", errno);
  }
  return moved;
}

// Standard input, output and error become /dev/null, so that no guest inherits an end of the host's, and whatever else
// was open is closed.
base::Status EmptyLowDescriptors() {
  const os::UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.is_open()) {
    return os::ErrnoFault("open /dev/null", errno);
  }
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (null.get() <= STDERR_FILENO || ::dup2(null.get(), fd) != fd) {
      return os::ErrnoFault("make descriptor " + std::to_string(fd) + " /dev/null", errno);
    }
  }
  return base::Ok();
}

// SAFETY: three plain numbers. Where the kernel or a filter refuses the call, what /proc lists is closed one by one.
base::Status CloseInherited() {
  if (::syscall(SYS_close_range, STDERR_FILENO + 1, kAllAbove, 0) == 0) {
    return base::Ok();
  }
  const auto open = NumbersIn("/proc/self/fd");
  if (!open) {
    return os::ErrnoFault("list the inherited descriptors", errno);
  }
  for (const int fd : *open) {
    if (fd > STDERR_FILENO) {
      static_cast<void>(::close(fd));
    }
  }
  return base::Ok();
}

}  // namespace

base::Result<Ends> Settle() {
  ForgetEnvironment();
  if (auto hidden = ForbidLooking(); !hidden) {
    return hidden.error();
  }
  if (auto closed = CloseInherited(); !closed) {
    return closed.error();
  }
  auto signals = TakeSignals();
  if (!signals) {
    return signals.error();
  }
  // Orphans of this process's guests come back to it wherever it stands, so that none is out of its reach.
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
    return os::ErrnoFault("become the reaper of orphans", errno);
  }
  auto from_host = MoveAside(STDIN_FILENO);
  auto to_host = MoveAside(STDOUT_FILENO);
  if (!from_host || !to_host) {
    return from_host ? to_host.error() : from_host.error();
  }
  if (auto emptied = EmptyLowDescriptors(); !emptied) {
    return emptied.error();
  }
  return Ends{.from_host = std::move(from_host).value(),
              .to_host = std::move(to_host).value(),
              .signals = std::move(signals).value()};
}

}  // namespace plimsoll::guest
