#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "frames/agent.h"
#include "providers/docker/agent_link.h"

namespace plimsoll::docker {

// The instants of one call, and what the agent has been told of them.
class CallClock {
 public:
  struct Budget {
    base::SteadyTime deadline;
    std::chrono::milliseconds grace;
  };
  CallClock(AgentLink& link, std::uint32_t channel, const base::Clock& clock, Budget budget)
      : link_(link),
        channel_(channel),
        clock_(clock),
        deadline_(budget.deadline),
        last_(budget.deadline + budget.grace) {}

  // Starts the budget, once; from here on the agent keeps it too.
  void Begin() {
    if (phase_ == Phase::kFiles) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - clock_.Steady());
      link_.Append(frames::agent::Type::kBegin, channel_,
                   frames::agent::EncodeBegin(std::max(left, std::chrono::milliseconds(1))));
      phase_ = Phase::kRunning;
    }
  }
  // At the deadline the agent is told to cancel. True once the grace is over too.
  bool IsOver() {
    const auto now = clock_.Steady();
    if (now >= deadline_ && phase_ != Phase::kCanceling) {
      link_.Append(frames::agent::Type::kCancel, frames::agent::kControl, frames::agent::EncodeChannel(channel_));
      phase_ = Phase::kCanceling;
    }
    return now >= last_;
  }
  base::SteadyTime next() const { return phase_ == Phase::kCanceling ? last_ : deadline_; }

 private:
  enum class Phase { kFiles, kRunning, kCanceling };
  AgentLink& link_;
  const std::uint32_t channel_;
  const base::Clock& clock_;
  const base::SteadyTime deadline_;
  const base::SteadyTime last_;
  Phase phase_ = Phase::kFiles;
};

}  // namespace plimsoll::docker
