#pragma once

#include <chrono>

namespace plimsoll::base {

using WallTime = std::chrono::sys_time<std::chrono::microseconds>;
using SteadyTime = std::chrono::steady_clock::time_point;

// Where time comes from. Implementations may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  // The calendar's time, which an operator may set back or forth.
  virtual WallTime Wall() const = 0;
  // Time that only moves forward; for deadlines and durations.
  virtual SteadyTime Steady() const = 0;
};

}  // namespace plimsoll::base
