#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "frames/agent.h"
#include "providers/docker/agent_link.h"

namespace plimsoll::docker {

// The one call of a sandbox.
inline constexpr std::uint32_t kCall = 1;

// The instants of one call, and what the agent has been told of them.
class CallClock {
 public:
  CallClock(AgentLink& link, const base::Clock& clock, base::SteadyTime deadline, std::chrono::milliseconds grace)
      : link_(link), clock_(clock), deadline_(deadline), last_(deadline + grace) {}

  // Starts the budget, once; from here on the agent keeps it too.
  void Begin() {
    if (phase_ == Phase::kFiles) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - clock_.Steady());
      link_.Append(frames::agent::Type::kBegin, kCall,
                   frames::agent::EncodeBegin(std::max(left, std::chrono::milliseconds(1))));
      phase_ = Phase::kRunning;
    }
  }
  // At the deadline the agent is told to cancel. True once the grace is over too.
  bool IsOver() {
    const auto now = clock_.Steady();
    if (now >= deadline_ && phase_ != Phase::kCanceling) {
      link_.Append(frames::agent::Type::kCancel, frames::agent::kControl, frames::agent::EncodeChannel(kCall));
      phase_ = Phase::kCanceling;
    }
    return now >= last_;
  }
  base::SteadyTime next() const { return phase_ == Phase::kCanceling ? last_ : deadline_; }

 private:
  enum class Phase { kFiles, kRunning, kCanceling };
  AgentLink& link_;
  const base::Clock& clock_;
  const base::SteadyTime deadline_;
  const base::SteadyTime last_;
  Phase phase_ = Phase::kFiles;
};

}  // namespace plimsoll::docker
