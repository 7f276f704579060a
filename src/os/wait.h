#pragma once

#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "os/poller.h"
#include "os/unique_fd.h"

namespace plimsoll::os {

// A flag that ends another thread's wait. Once raised it stays raised. Thread-safe.
class Flag {
 public:
  // Fault kOverloaded when the machine is out of descriptors.
  static base::Result<Flag> Create();
  void Raise() const;
  // Readable while raised; borrowed.
  int fd() const { return event_.get(); }

 private:
  explicit Flag(UniqueFd event) : event_(std::move(event)) {}
  UniqueFd event_;
};

enum class Woken { kReady, kFlag, kDeadline };

// Blocks until `fd` can be read (its end included), or with kReadWrite also written; until the flag is raised; or until
// `deadline`, an instant of the system's steady clock. What is ready comes before the flag, the flag before the
// deadline. For a thread that serves one descriptor; a Poller serves many.
Woken WaitFor(int fd, Interest interest, const Flag& flag, base::SteadyTime deadline);

}  // namespace plimsoll::os
