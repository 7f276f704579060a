#pragma once

#include <memory>
#include <stop_token>
#include <thread>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/unique_function.h"

namespace plimsoll::base {

// Calls back when a moment is reached. One thread for all of them. Methods may be called from any thread.
class Deadlines {
 public:
  // `clock` must outlive this.
  explicit Deadlines(const Clock& clock);
  // Stops; the calls of deadlines still ahead are dropped.
  ~Deadlines();
  Deadlines(const Deadlines&) = delete;
  Deadlines& operator=(const Deadlines&) = delete;

  // Calls `passed` once, on the thread of this object, when `when` is reached, unless the Cleanup is released before.
  // `passed` must not block. A release does not wait for a call that has begun. The Cleanup may outlive this.
  [[nodiscard]] Cleanup At(SteadyTime when, UniqueFunction<void()> passed);

 private:
  struct State;
  void Serve(const std::stop_token& stop);

  const Clock& clock_;
  std::shared_ptr<State> state_;  // shared with the Cleanups, which a run that does not end may hold longer
  std::jthread thread_;           // last: it uses the rest
};

}  // namespace plimsoll::base
