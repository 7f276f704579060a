#pragma once

#include <optional>

#include "base/clock.h"
#include "frames/agent.h"
#include "guest/agent/others.h"
#include "guest/agent/tree.h"

namespace plimsoll::guest {

// What follows a call in a sandbox that is kept: everything that calls have left running is killed, that nothing runs
// is shown, and what the files take is measured. A round kills and looks; a sweep has at most 50 of them, 20 ms apart,
// and 20 seconds.
class Sweep {
 public:
  // `tree` must outlive the sweep.
  Sweep(const frames::agent::SweepOrder& order, Tree& tree, base::SteadyTime now);

  // Does the round that is due. The verdict once there is one.
  std::optional<frames::agent::Swept> Advance(base::SteadyTime now);
  // When the next round is due.
  base::SteadyTime Due() const { return next_; }

 private:
  bool IsClean();
  frames::agent::Swept Measure() const;

  const frames::agent::SweepOrder order_;
  Tree& tree_;
  Others others_;
  const base::SteadyTime give_up_;
  base::SteadyTime next_;
  int rounds_ = 0;
};

}  // namespace plimsoll::guest
