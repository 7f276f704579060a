#include "rpc/run_in_flight.h"

#include <utility>

#include "plimsoll/v1/sandbox.pb.h"
#include "rpc/translate.h"

namespace plimsoll::rpc {

RunInFlight::RunInFlight(std::shared_ptr<http::Exchange> exchange, Reply reply)
    : exchange_(std::move(exchange)), reply_(std::move(reply)), client_left_(exchange_->client_gone(), Stop{stop_}) {}

bool RunInFlight::Claim() {
  base::Cleanup timer;  // released after the lock is given up
  auto state = state_.Lock();
  if (std::exchange(state->answered, true)) {
    return false;
  }
  timer = std::move(state->timer);
  return true;
}

void RunInFlight::End(base::Result<dispatch::Answer> ended) {
  if (!Claim()) {
    return;
  }
  if (!ended) {
    exchange_->Send(Fail(reply_, FailureOf(ended.error(), Stage::kProcedure)));
    return;
  }
  exchange_->Send(Succeed(reply_, ResponseOf(std::move(ended).value())));
}

void RunInFlight::WatchDeadline(base::Deadlines& deadlines, base::SteadyTime deadline) {
  base::Cleanup timer = deadlines.At(deadline, [self = shared_from_this()] { self->DeadlinePassed(); });
  auto state = state_.Lock();
  if (!state->answered) {
    state->timer = std::move(timer);
  }
}

void RunInFlight::DeadlinePassed() {
  if (!Claim()) {
    return;
  }
  const base::Fault passed{base::FaultKind::kDeadline, "the caller's deadline passed while the code was running"};
  exchange_->Send(Fail(reply_, FailureOf(passed, Stage::kProcedure)));
  stop_.request_stop();
}

}  // namespace plimsoll::rpc
