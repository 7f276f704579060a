#include "sessions/closing.h"

#include <utility>

#include "base/check.h"

namespace plimsoll::sessions {

using base::Fault;
using base::FaultKind;
using base::Status;

void Closing::Left::operator()() const {
  if (const auto self = closing.lock()) {
    self->OnCallerLeft();
  }
}

Closing::Closing(Registry& registry, std::shared_ptr<Session> session, Patience patience, CloseDone done)
    : registry_(registry), session_(std::move(session)), patience_(std::move(patience)), done_(std::move(done)) {}

void Closing::Start() {
  registry_.TakeTurn(session_, patience_, [self = shared_from_this()](const Status& turn) {
    if (turn) {
      self->OnTurn();
    } else {
      self->Refuse(*base::RefusalIn(turn));
    }
  });
}

void Closing::OnTurn() {
  registry_.End(session_, {run::SessionEnd::kClosed});
  on_left_.emplace(patience_.client_gone, Left{weak_from_this()});
  registry_.WhenGone(session_, [self = shared_from_this()] { self->OnGone(); });
}

void Closing::OnGone() {
  if (!Claim()) {
    return;
  }
  const auto ended = registry_.EndOf(session_);
  PLIMSOLL_CHECK(ended.has_value());  // OnTurn has ended it
  Closed closed{.fingerprint = session_->terms.fingerprint,
                .calls = session_->chain.calls(),
                .last_record_sha256 = session_->chain.last_sha256(),
                .end = ended->reason};
  const bool first = registry_.Collect(session_);
  registry_.GiveTurn(session_);
  if (first) {
    done_(std::move(closed));
  } else {
    Refuse({base::Rule::kSessionUnknown, "no such session"});
  }
}

void Closing::Refuse(const base::Refusal& refusal) {
  registry_.dispatcher().CountRefusal(refusal);
  done_(refusal);
}

void Closing::OnCallerLeft() {
  if (!Claim()) {
    return;
  }
  registry_.GiveTurn(session_);
  const Status waiting = dispatch::StillWaiting(patience_.deadline, patience_.client_gone, registry_.Now());
  const base::Refusal* refusal = base::RefusalIn(waiting);
  const bool late = refusal != nullptr && refusal->rule == base::Rule::kDeadlinePassed;
  done_(Fault{late ? FaultKind::kDeadline : FaultKind::kCanceled,
              "the session is still ending; close it again to collect its count"});
}

}  // namespace plimsoll::sessions
