#pragma once

#include "base/clock.h"

namespace plimsoll::os {

// The machine's clocks.
class SystemClock final : public base::Clock {
 public:
  base::WallTime Wall() const override;
  base::SteadyTime Steady() const override;
};

}  // namespace plimsoll::os
