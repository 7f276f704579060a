#include "os/system_clock.h"

#include <chrono>

namespace plimsoll::os {

base::WallTime SystemClock::Wall() const {
  return std::chrono::time_point_cast<base::WallTime::duration>(std::chrono::system_clock::now());
}

base::SteadyTime SystemClock::Steady() const { return std::chrono::steady_clock::now(); }

}  // namespace plimsoll::os
