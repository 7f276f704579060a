#pragma once

#include <memory>
#include <optional>

#include "base/clock.h"
#include "guest/agent/call.h"
#include "guest/agent/exit_status.h"
#include "guest/agent/link.h"
#include "guest/agent/settle.h"
#include "guest/agent/sweep.h"
#include "guest/agent/tree.h"

namespace plimsoll::guest {

// The loop of the agent: one thread that waits for the host, for the guests' output and ends, and for the deadline.
class Agent {
 public:
  // `clock` must outlive the agent.
  Agent(Ends ends, const frames::agent::Key& control, const base::Clock& clock);

  // Says who it is, then serves calls one after the other, and sweeps between them, until the host is gone or breaks
  // the protocol. No guest is left when it returns.
  ExitStatus Run(const frames::agent::Ready& identity);

 private:
  // What is to be done after one turn: nothing when the loop goes on.
  std::optional<ExitStatus> Turn();
  std::optional<ExitStatus> HearHost();
  base::Status Take(const frames::agent::Frame& frame);
  base::Status OpenCall(std::string_view body);
  base::Status Cancel(std::string_view body);
  base::Status BeginSweep(std::string_view body);
  bool IsFree() const { return !sweep_ && (!call_ || call_->IsDone()); }
  void ClearUp();
  void AdvanceSweep();
  void WaitForMore();

  os::UniqueFd signals_;
  const base::Clock& clock_;
  Link link_;
  Tree tree_;
  std::unique_ptr<Call> call_;
  bool is_cleared_ = true;  // nothing of a finished call is left running
  std::uint32_t last_channel_ = frames::agent::kControl;
  std::optional<Sweep> sweep_;
  Polls polls_;
};

}  // namespace plimsoll::guest
