#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"

namespace plimsoll::os {

// A program to start. Nothing is inherited that is not named here: the environment is exactly `environment`, and every
// descriptor that is not passed is closed, whether or not it was close-on-exec.
struct ProgramStart {
  std::string program;                        // absolute path; PATH is not searched
  std::vector<std::string> arguments = {};    // after argv[0], which is `program`
  std::vector<std::string> environment = {};  // `NAME=value`
  // Descriptors the child has, each under a small number of its own. `from` is borrowed.
  struct Passed {
    int from;
    int to;
  };
  std::vector<Passed> passed = {};
};

// How a child ended, as the kernel tells it.
struct ExitStatus {
  enum class How { kExited, kSignalled } how;
  int value;  // exit code or signal number
};

// A child process held by its pidfd, so its number can never come to mean another process. Leads its own process group,
// with default signal handling. Not thread-safe, but for Kill.
class Child {
 public:
  // Starts the program and returns once it was executed, about 1 ms. A parent-death signal that the child asks for
  // follows the calling thread: start long-lived children from a thread that lives as long as they do.
  // Fault kInternal when it cannot be executed, kOverloaded when the machine is out of processes or descriptors.
  static base::Result<Child> Start(const ProgramStart& start);

  Child(Child&&) = default;
  Child& operator=(Child&& other) noexcept;
  // Kills and reaps a child that was not reaped. Waits at most 5 s, which a killed process in sound health never takes.
  ~Child();

  pid_t pid() const { return pid_; }
  // Readable once the child has ended and everything it held is released.
  int pidfd() const { return pidfd_.get(); }

  // Sends SIGKILL; does nothing to a child that has ended. May be called from any thread while the object lives.
  void Kill() const;

  // How it ended, or nothing while it runs. Reaps at the first answer and repeats it later.
  const std::optional<ExitStatus>& TryReap();

 private:
  Child(pid_t pid, UniqueFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
  void End();
  pid_t pid_;
  UniqueFd pidfd_;
  std::optional<ExitStatus> status_;
};

}  // namespace plimsoll::os
