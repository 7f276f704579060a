#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "frames/agent.h"
#include "guest/agent/artifacts.h"
#include "guest/agent/link.h"
#include "guest/agent/order.h"
#include "guest/agent/polls.h"
#include "guest/agent/step.h"
#include "guest/agent/tree.h"

namespace plimsoll::guest {

// One call: what the host asks for and what becomes of it. A snippet is one step, whose process is started with the
// plan and gets its code at the beginning; a project's steps start one after the other from the beginning on.
class Call {
 public:
  // `link` and `tree` must outlive the call.
  Call(std::uint32_t channel, frames::agent::Kind kind, Link& link, Tree& tree);

  std::uint32_t channel() const { return channel_; }

  // One frame of the call's channel. A Fault means that the host breaks the protocol. What comes after the end is
  // passed over, since the host may not know of the end yet.
  base::Status Take(const frames::agent::Frame& frame, base::SteadyTime now);
  // The host wants the end now: as the deadline, without waiting for it.
  void Cancel(base::SteadyTime now);

  // Does everything that can be done at `now`.
  void Advance(base::SteadyTime now);
  // True once kDone was said.
  bool IsDone() const { return phase_ == Phase::kDone; }

  // When Advance is due though nothing is ready.
  std::optional<base::SteadyTime> Due(base::SteadyTime now) const;
  void AddTo(Polls& polls);

 private:
  enum class Phase {
    kWaiting,    // for the plan, the files, the beginning
    kRunning,    // a step's process runs
    kDraining,   // it is over; what it wrote is on its way
    kCapturing,  // no step will follow
    kDone,
  };

  void Prepare();
  void Begin(base::SteadyTime now);
  void BeginSnippet();
  void BeginProject(base::SteadyTime now);
  void StartStep(base::SteadyTime now);
  // Each does what its phase can do and returns whether another phase has begun.
  bool Watch(base::SteadyTime now);
  bool Drain(base::SteadyTime now);
  bool CaptureSome();
  void EndStep(int status, base::SteadyTime now);
  void TimeOut(base::SteadyTime now);
  void AfterStep(base::SteadyTime now);
  void Conclude(frames::agent::Outcome outcome, std::string detail);
  void Finish(frames::agent::Outcome outcome, std::string detail);
  void DropLeftovers();

  bool IsProject() const { return order_.kind() == frames::agent::Kind::kProject; }
  bool HasDeadlinePassed(base::SteadyTime now) const { return deadline_ && now >= *deadline_; }
  std::string StepName() const;
  Sink SinkNow() { return {.link = link_, .channel = channel_, .step = index_, .total_left = total_left_}; }

  std::uint32_t channel_;
  Link& link_;
  Tree& tree_;
  Order order_;
  Phase phase_ = Phase::kWaiting;
  std::optional<base::SteadyTime> deadline_;

  std::uint32_t index_ = 0;  // of the present step
  std::unique_ptr<Step> step_;
  base::SteadyTime step_start_;
  frames::agent::Exited exited_;  // of the present step once it is over
  std::uint64_t total_left_ = 0;
  std::vector<os::UniqueFd> leftovers_;  // pipes that processes of earlier steps may still write to

  os::UniqueFd directory_;
  std::unique_ptr<Capture> capture_;
  frames::agent::Done done_;
  std::array<char, 65536> space_;
};

}  // namespace plimsoll::guest
