#pragma once

#include <memory>
#include <stop_token>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/deadlines.h"
#include "base/guarded.h"
#include "http/handler.h"
#include "rpc/answer.h"

namespace plimsoll::rpc {

// One answer that a caller waits for, given once: by the end of what it asked for or by its deadline, whichever is
// first. Shared by the completion and the deadline's timer.
class AnswerInFlight : public std::enable_shared_from_this<AnswerInFlight> {
 public:
  AnswerInFlight(std::shared_ptr<http::Exchange> exchange, Reply reply);

  // Requested when the caller has left or its deadline has passed.
  std::stop_token stop() const { return stop_.get_token(); }

  // It has ended: sends what `make` makes of the reply, unless the caller was answered before. Any thread.
  template <typename Make>
  void End(Make make) {
    if (Claim()) {
      exchange_->Send(make(reply_));
    }
  }

  // What follows when the deadline passes first. kAnswer: the caller is told at once, without a statement whether the
  // code ran. kStop: it is told by the end, which the stop brings about; so a session's call has its record.
  enum class AtDeadline { kAnswer, kStop };
  // From now on the deadline counts. Call after the work was handed over, so that a deadline already passed is refused.
  void WatchDeadline(base::Deadlines& deadlines, base::SteadyTime deadline, AtDeadline at);

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
  void DeadlinePassed(AtDeadline at);

  const std::shared_ptr<http::Exchange> exchange_;
  const Reply reply_;
  std::stop_source stop_;
  std::stop_callback<Stop> client_left_;
  base::Guarded<State> state_;
};

}  // namespace plimsoll::rpc
