#include "os/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "os/errno_fault.h"

namespace plimsoll::os {
namespace {

constexpr int kEndWaitMs = 5000;

// One posix_spawn: the actions and attributes, freed together.
class SpawnPlan {
 public:
  SpawnPlan() {
    PLIMSOLL_CHECK(posix_spawn_file_actions_init(&actions_) == 0);
    PLIMSOLL_CHECK(posix_spawnattr_init(&attributes_) == 0);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    static_cast<void>(posix_spawn_file_actions_destroy(&actions_));
    static_cast<void>(posix_spawnattr_destroy(&attributes_));
  }

  // The child's descriptors are exactly the targets of `passed`. The sources are first copied above every target, so
  // that no target overwrites a source that is still needed.
  base::Status PassOnly(const std::vector<ProgramStart::Passed>& passed) {
    int highest = 2;
    for (const auto& [from, to] : passed) {
      highest = std::max(highest, to);
    }
    for (const auto& [from, to] : passed) {
      copies_.emplace_back(::fcntl(from, F_DUPFD_CLOEXEC, highest + 1));
      if (!copies_.back().is_open()) {
        return ErrnoFault("fcntl F_DUPFD_CLOEXEC", errno);
      }
      PLIMSOLL_CHECK(posix_spawn_file_actions_adddup2(&actions_, copies_.back().get(), to) == 0);
    }
    for (int fd = 0; fd <= highest; ++fd) {
      const bool is_target =
          std::any_of(passed.begin(), passed.end(), [fd](const auto& entry) { return entry.to == fd; });
      if (!is_target) {
        PLIMSOLL_CHECK(posix_spawn_file_actions_addclose(&actions_, fd) == 0);
      }
    }
    PLIMSOLL_CHECK(posix_spawn_file_actions_addclosefrom_np(&actions_, highest + 1) == 0);
    return base::Ok();
  }

  // Signals as a program started by init would find them, and a process group of its own, so that what is typed at our
  // terminal does not reach the child.
  void ResetSignals() {
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    PLIMSOLL_CHECK(posix_spawnattr_setsigmask(&attributes_, &none) == 0);
    PLIMSOLL_CHECK(posix_spawnattr_setsigdefault(&attributes_, &all) == 0);
    PLIMSOLL_CHECK(posix_spawnattr_setpgroup(&attributes_, 0) == 0);
    PLIMSOLL_CHECK(posix_spawnattr_setflags(
                       &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP) == 0);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  std::vector<UniqueFd> copies_;
};

// Pointers into `strings`, ended by null, in the shape exec takes. exec does not write through them.
std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& text : strings) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

// SAFETY: both calls take plain numbers and, here, no pointer the kernel writes through.
int PidfdOpen(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }
void PidfdKill(int pidfd) { static_cast<void>(::syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0)); }

}  // namespace

base::Result<Child> Child::Start(const ProgramStart& start) {
  SpawnPlan plan;
  plan.ResetSignals();
  if (auto passed = plan.PassOnly(start.passed); !passed) {
    return passed.error();
  }
  std::vector<std::string> arguments = {start.program};
  arguments.insert(arguments.end(), start.arguments.begin(), start.arguments.end());
  std::vector<std::string> environment = start.environment;
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, start.program.c_str(), plan.actions(), plan.attributes(),
                                  Pointers(arguments).data(), Pointers(environment).data());
  if (error != 0) {
    return ErrnoFault("start " + start.program, error);
  }
  // Until it is reaped, and only Child reaps it, the number cannot be given to another process.
  UniqueFd pidfd(PidfdOpen(pid));
  if (!pidfd.is_open()) {
    const int cause = errno;
    static_cast<void>(::kill(pid, SIGKILL));
    static_cast<void>(::waitpid(pid, nullptr, 0));
    return ErrnoFault("pidfd_open", cause);
  }
  return Child(pid, std::move(pidfd));
}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    End();
    pid_ = other.pid_;
    pidfd_ = std::move(other.pidfd_);
    status_ = std::exchange(other.status_, std::nullopt);
  }
  return *this;
}

Child::~Child() { End(); }

void Child::Kill() const {
  if (pidfd_.is_open() && !status_) {
    PidfdKill(pidfd_.get());
  }
}

const std::optional<ExitStatus>& Child::TryReap() {
  if (status_ || !pidfd_.is_open()) {
    return status_;
  }
  siginfo_t info = {};
  if (::waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED | WNOHANG) != 0) {
    // ECHILD: the process ignores SIGCHLD, so the kernel has reaped the child and kept nothing of it.
    status_ = ExitStatus{ExitStatus::How::kExited, 0};
  } else if (info.si_pid != 0) {
    const auto how = info.si_code == CLD_EXITED ? ExitStatus::How::kExited : ExitStatus::How::kSignalled;
    status_ = ExitStatus{how, info.si_status};
  }
  return status_;
}

void Child::End() {
  if (!pidfd_.is_open() || TryReap()) {
    return;
  }
  Kill();
  pollfd ended{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
  static_cast<void>(::poll(&ended, 1, kEndWaitMs));
  static_cast<void>(TryReap());
}

}  // namespace plimsoll::os
