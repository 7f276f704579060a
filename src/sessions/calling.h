#pragma once

#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/unique_function.h"
#include "dispatch/dispatcher.h"
#include "provider/sandbox.h"
#include "run/session_end.h"
#include "sessions/registry.h"

namespace plimsoll::sessions {

// How a call is answered. `ended` is set when the session ended before or during it: beside a Refusal nothing of the
// call ran, beside a Fault it may have, beside an Answer it did.
struct Called {
  dispatch::Concluded concluded;
  std::optional<run::SessionEnded> ended = {};
};
using CalledDone = base::UniqueFunction<void(Called)>;

// One call of a session, in the order of checks of sessions.md 6 from the software rule on. Keeps itself until it has
// answered.
class Calling : public std::enable_shared_from_this<Calling> {
 public:
  Calling(Registry& registry, isolation::Floor operator_floor, std::shared_ptr<Session> session, dispatch::Call call,
          CalledDone done);
  void Start();

 private:
  base::Status Check() const;
  void OnTurn();
  base::Status MayBegin();
  void OnEnd(provider::KeptCall kept);
  void LogUnanswered(const records::Record& record);
  void RefuseWithTurn(base::Error why);
  void Refuse(base::Error why);

  Registry& registry_;
  const isolation::Floor operator_floor_;
  const std::shared_ptr<Session> session_;
  const dispatch::Call call_;
  CalledDone done_;
  base::SteadyTime dispatched_{};
};

}  // namespace plimsoll::sessions
