#include "rpc/answer_in_flight.h"

#include <utility>

namespace plimsoll::rpc {

AnswerInFlight::AnswerInFlight(std::shared_ptr<http::Exchange> exchange, Reply reply)
    : exchange_(std::move(exchange)), reply_(std::move(reply)), client_left_(exchange_->client_gone(), Stop{stop_}) {}

bool AnswerInFlight::Claim() {
  base::Cleanup timer;  // released after the lock is given up
  auto state = state_.Lock();
  if (std::exchange(state->answered, true)) {
    return false;
  }
  timer = std::move(state->timer);
  return true;
}

void AnswerInFlight::WatchDeadline(base::Deadlines& deadlines, base::SteadyTime deadline, AtDeadline at) {
  base::Cleanup timer = deadlines.At(deadline, [self = shared_from_this(), at] { self->DeadlinePassed(at); });
  auto state = state_.Lock();
  if (!state->answered) {
    state->timer = std::move(timer);
  }
}

void AnswerInFlight::DeadlinePassed(AtDeadline at) {
  if (at == AtDeadline::kAnswer) {
    End([](const Reply& reply) {
      const base::Fault passed{base::FaultKind::kDeadline, "the caller's deadline passed while the code was running"};
      return Fail(reply, FailureOf(passed, Stage::kProcedure));
    });
  }
  stop_.request_stop();
}

}  // namespace plimsoll::rpc
