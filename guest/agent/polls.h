#pragma once

#include <poll.h>

#include <optional>
#include <vector>

#include "base/clock.h"

namespace plimsoll::guest {

// What one turn of the loop waits for. Everything is tried again after a wait, so nobody asks what was ready.
class Polls {
 public:
  void Clear() { entries_.clear(); }
  // `events` as poll(2) takes them; a closed descriptor (-1) is left out.
  void Add(int fd, short events);
  // Returns when one is ready, or at `until`.
  void Wait(std::optional<base::SteadyTime> until, base::SteadyTime now);

 private:
  std::vector<pollfd> entries_;
};

}  // namespace plimsoll::guest
