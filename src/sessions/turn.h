#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/unique_function.h"

namespace plimsoll::sessions {

// The right to use a session now. One holds it and one more may wait for it (sessions.md 6). Not thread-safe.
class Turn {
 public:
  using Granted = base::UniqueFunction<void()>;

  bool free() const { return !held_; }
  // Takes a turn that is free.
  bool Take();
  // Waits for one that is held: `granted` goes to whoever gives the turn back. Nothing when somebody waits already.
  std::optional<std::uint64_t> Wait(Granted granted);
  // Waits no longer. Empty when the turn was granted already.
  Granted Leave(std::uint64_t ticket);
  // Gives the turn back. With a result it belongs to the one who waited, and the result is to be called.
  [[nodiscard]] Granted Give();

 private:
  struct Waiter {
    std::uint64_t ticket;
    Granted granted;
  };
  bool held_ = false;
  std::uint64_t next_ = 1;
  std::optional<Waiter> waiting_;
};

}  // namespace plimsoll::sessions
