// Who uses a session now, and who waits for it.
#include <utility>

#include "sessions/registry.h"

namespace plimsoll::sessions {

using base::Refusal;
using base::Rule;

// One request that waits for a turn. Owned by the turn until it is granted or the request leaves.
class Registry::Waiting : public std::enable_shared_from_this<Waiting> {
 public:
  Waiting(Registry& registry, std::shared_ptr<Session> session, Patience patience,
          base::UniqueFunction<void(base::Status)> outcome)
      : registry_(registry),
        session_(std::move(session)),
        patience_(std::move(patience)),
        outcome_(std::move(outcome)) {}

  // Before the wait begins: a stop that comes earlier is seen by who called Wait.
  void Watch() { on_stop_.emplace(patience_.client_gone, Stop{weak_from_this()}); }

  void Granted() { outcome_(base::Ok()); }
  void Refused(Refusal refusal) { outcome_(std::move(refusal)); }
  bool stopped() const { return patience_.client_gone.stop_requested(); }

  void Leave() {
    Later later;
    auto table = registry_.table_.Lock();
    Turn::Granted left = ticket != 0 ? session_->turn.Leave(ticket) : Turn::Granted();
    if (!left) {
      return;
    }
    later.Do([self = shared_from_this(), left = std::move(left)] {
      self->outcome_(
          dispatch::StillWaiting(self->patience_.deadline, self->patience_.client_gone, self->registry_.Now()));
    });
  }

  std::uint64_t ticket = 0;  // under the registry's lock; 0: does not wait

 private:
  struct Stop {
    std::weak_ptr<Waiting> waiting;
    void operator()() const {
      if (const auto self = waiting.lock()) {
        self->Leave();
      }
    }
  };

  Registry& registry_;
  const std::shared_ptr<Session> session_;
  const Patience patience_;
  base::UniqueFunction<void(base::Status)> outcome_;
  std::optional<std::stop_callback<Stop>> on_stop_;
};

void Registry::TakeTurn(const std::shared_ptr<Session>& session, const Patience& patience,
                        base::UniqueFunction<void(base::Status)> outcome) {
  const auto waiting = std::make_shared<Waiting>(*this, session, patience, std::move(outcome));
  waiting->Watch();
  {
    Later later;
    auto table = table_.Lock();
    if (session->turn.Take()) {
      later.Do([waiting] { waiting->Granted(); });
      return;
    }
    const auto ticket = session->turn.Wait([waiting] { waiting->Granted(); });
    if (!ticket) {
      later.Do([waiting] {
        waiting->Refused({Rule::kAtCapacity, "capacity: one request uses this session and one more waits for it"});
      });
      return;
    }
    waiting->ticket = *ticket;
  }
  if (waiting->stopped()) {
    waiting->Leave();
  }
}

void Registry::GiveTurnLocked(Table& table, const std::shared_ptr<Session>& session, Later& later) {
  if (Turn::Granted next = session->turn.Give()) {
    later.Do(std::move(next));
  } else {
    ReconsiderLocked(table, session, later);
  }
}

void Registry::GiveTurn(const std::shared_ptr<Session>& session) {
  Later later;
  auto table = table_.Lock();
  GiveTurnLocked(*table, session, later);
}

void Registry::GiveTurnAfterCall(const std::shared_ptr<Session>& session, const records::Record& moved) {
  Later later;
  auto table = table_.Lock();
  session->chain.Advance(moved);
  session->idle_from = session->used = Now();
  GiveTurnLocked(*table, session, later);
}

}  // namespace plimsoll::sessions
