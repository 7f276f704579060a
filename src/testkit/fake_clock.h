#pragma once

#include <chrono>
#include <mutex>

#include "base/clock.h"

namespace plimsoll::testkit {

// A clock that moves only when told to. Thread-safe.
class FakeClock final : public base::Clock {
 public:
  // 2024-01-01T00:00:00Z on the calendar; an arbitrary instant of steady time.
  FakeClock() = default;

  base::WallTime Wall() const override {
    const std::lock_guard lock(mutex_);
    return wall_;
  }
  base::SteadyTime Steady() const override {
    const std::lock_guard lock(mutex_);
    return steady_;
  }

  // Moves both times forward.
  void Advance(std::chrono::microseconds by) {
    const std::lock_guard lock(mutex_);
    wall_ += by;
    steady_ += by;
  }
  // Sets the calendar alone, as an operator may.
  void SetWall(base::WallTime wall) {
    const std::lock_guard lock(mutex_);
    wall_ = wall;
  }

 private:
  mutable std::mutex mutex_;
  base::WallTime wall_{std::chrono::sys_days(std::chrono::year(2024) / 1 / 1)};
  base::SteadyTime steady_{std::chrono::hours(1)};
};

}  // namespace plimsoll::testkit
