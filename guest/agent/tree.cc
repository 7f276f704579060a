#include "guest/agent/tree.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "guest/agent/numbered.h"
#include "guest/agent/process_stat.h"
#include "os/unique_fd.h"

namespace plimsoll::guest {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestKill(2000);
constexpr timespec kBetweenKills = {.tv_sec = 0, .tv_nsec = 500'000};

// SAFETY: plain numbers, and no pointer the kernel writes through.
int PidfdOpen(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }
void PidfdKill(int pidfd) { static_cast<void>(::syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0)); }

// The parent of a process as /proc states it, or nothing when it is gone.
std::optional<pid_t> ParentOf(pid_t pid) {
  ProcessStat stat;
  const bool is_there = ReadStat("/proc/" + std::to_string(pid) + "/stat", stat) == Look::kThere;
  return is_there ? std::optional(stat.parent) : std::nullopt;
}

// Kills `pid` if it is a child of this process. The descriptor is taken before its parent is read: if the number came
// to mean another process in between, the descriptor still means the one that ended.
void KillIfChild(pid_t pid) {
  const os::UniqueFd process(PidfdOpen(pid));
  if (process.is_open() && ParentOf(pid) == ::getpid()) {
    PidfdKill(process.get());
  }
}

void KillOwnChildren() {
  for (const pid_t pid : NumbersIn("/proc").value_or(std::vector<int>())) {
    if (pid > 1 && ParentOf(pid) == ::getpid()) {
      KillIfChild(pid);
    }
  }
}

}  // namespace

Tree::Tree() : is_first_(::getpid() == 1 && ::getppid() == 0) {}

void Tree::Reap() {
  while (true) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    has_children_ = pid >= 0;
    if (pid <= 0) {
      return;
    }
    // A child that made this process its tracer (PTRACE_TRACEME asks nobody) is waited for when it stops, too.
    if (pid == watched_ && !WIFSTOPPED(status)) {
      status_ = status;
    }
  }
}

std::optional<int> Tree::TakeStatus() { return std::exchange(status_, std::nullopt); }

void Tree::Watch(pid_t pid) {
  watched_ = pid;
  status_.reset();
}

void Tree::Kill() const {
  // kill(-1) means "every process this one may signal". Only in a namespace of its own, whose first process it is and
  // whose others all descend from it, is that the same as "every descendant".
  if (is_first_ && ::getpid() == 1) {
    static_cast<void>(::kill(-1, SIGKILL));
  } else {
    KillOwnChildren();
  }
}

Tree::Left Tree::KillRound() {
  Reap();
  if (has_children_) {
    Kill();
    Reap();
  }
  return has_children_ ? Left::kSome : Left::kNone;
}

Tree::Left Tree::KillAll() {
  const auto give_up = std::chrono::steady_clock::now() + kLongestKill;
  while (KillRound() == Left::kSome) {
    if (std::chrono::steady_clock::now() >= give_up) {
      return Left::kSome;
    }
    static_cast<void>(::nanosleep(&kBetweenKills, nullptr));
  }
  return Left::kNone;
}

}  // namespace plimsoll::guest
