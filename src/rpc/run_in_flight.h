#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/deadlines.h"
#include "base/guarded.h"
#include "base/unique_function.h"
#include "dispatch/dispatcher.h"
#include "http/handler.h"
#include "rpc/answer.h"

namespace plimsoll::rpc {

// One run that a caller waits for: answered once, by its end or by the caller's deadline, whichever is first. Shared by
// the run's completion and the deadline's timer.
class RunInFlight : public std::enable_shared_from_this<RunInFlight> {
 public:
  RunInFlight(std::shared_ptr<http::Exchange> exchange, Reply reply);

  // Requested when the caller has left or its deadline has passed.
  std::stop_token stop() const { return stop_.get_token(); }

  // The run has ended. Any thread.
  void End(base::Result<dispatch::Answer> ended);

  // From now on the deadline counts: when it passes first, the caller is told at once, without a statement whether the
  // code ran, and the run is stopped. Call after the run was handed over, so that a deadline already passed is refused.
  void WatchDeadline(base::Deadlines& deadlines, base::SteadyTime deadline);

 private:
  struct State {
    bool answered = false;
    base::Cleanup timer;
  };
  struct Stop {
    std::stop_source source;
    // A run that ends while it is being stopped takes this object with it; the copy keeps what request_stop works on.
    void operator()() const { std::stop_source(source).request_stop(); }
  };
  // True for the first who asks: it answers.
  bool Claim();
  void DeadlinePassed();

  const std::shared_ptr<http::Exchange> exchange_;
  const Reply reply_;
  std::stop_source stop_;
  std::stop_callback<Stop> client_left_;
  base::Guarded<State> state_;
};

}  // namespace plimsoll::rpc
