#include "guest/agent/tree.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "guest/agent/numbered.h"
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
  const os::UniqueFd file(::open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> bytes;
  const ssize_t count = file.is_open() ? ::read(file.get(), bytes.data(), bytes.size()) : 0;
  if (count <= 0) {
    return std::nullopt;
  }
  // `pid (name) state ppid ...`; the name is the process's own and may hold anything, so the last parenthesis counts.
  const std::string_view text(bytes.data(), static_cast<std::size_t>(count));
  const std::size_t close = text.rfind(')');
  if (close == std::string_view::npos || text.size() < close + 5) {
    return std::nullopt;
  }
  pid_t parent = 0;
  const auto [end, error] = std::from_chars(text.data() + close + 4, text.data() + text.size(), parent);
  return error == std::errc() ? std::optional(parent) : std::nullopt;
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

void Tree::KillOnce() const {
  // kill(-1) means "every process this one may signal". Only in a namespace of its own, whose first process it is and
  // whose others all descend from it, is that the same as "every descendant".
  if (is_first_ && ::getpid() == 1) {
    static_cast<void>(::kill(-1, SIGKILL));
  } else {
    KillOwnChildren();
  }
}

Tree::Left Tree::KillAll() {
  const auto give_up = std::chrono::steady_clock::now() + kLongestKill;
  for (Reap(); has_children_; Reap()) {
    if (std::chrono::steady_clock::now() >= give_up) {
      return Left::kSome;
    }
    KillOnce();
    Reap();
    if (has_children_) {
      static_cast<void>(::nanosleep(&kBetweenKills, nullptr));
    }
  }
  return Left::kNone;
}

}  // namespace plimsoll::guest
