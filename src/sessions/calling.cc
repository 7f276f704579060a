#include "sessions/calling.h"

#include <array>
#include <string>
#include <utility>

#include "admission/check.h"
#include "run/software_rule.h"

namespace plimsoll::sessions {

using base::Fault;
using base::FaultKind;
using base::Refusal;
using base::Rule;
using base::Status;

Calling::Calling(Registry& registry, isolation::Floor operator_floor, std::shared_ptr<Session> session,
                 dispatch::Call call, CalledDone done)
    : registry_(registry),
      operator_floor_(operator_floor),
      session_(std::move(session)),
      call_(std::move(call)),
      done_(std::move(done)) {}

// A call that can never run is refused before it waits.
void Calling::Start() {
  if (Status may_run = Check(); !may_run) {
    return Refuse(std::move(may_run).error());
  }
  registry_.TakeTurn(session_, {call_.exchange_deadline, call_.client_gone}, [self = shared_from_this()](Status turn) {
    if (turn) {
      self->OnTurn();
    } else {
      self->Refuse(std::move(turn).error());
    }
  });
}

Status Calling::Check() const {
  const run::SoftwareRuleDraft& sent = call_.request.as_sent().software_rule;
  const auto narrowed = run::Narrowed(session_->terms.rule, sent);
  if (!narrowed || *narrowed != sent) {
    return Refusal{Rule::kInvalidRequest,
                   "software_rule: must be the rule that the session was opened with, as it is or narrowed"};
  }
  const admission::Standing standing{session_->terms.offer, session_->terms.stated.tier, operator_floor_};
  return admission::MayRun(call_.request, standing);
}

Status Calling::MayBegin() {
  if (Status may_call = registry_.MayCall(session_); !may_call) {
    return may_call;
  }
  if (Status waiting = dispatch::StillWaiting(call_.exchange_deadline, call_.client_gone, registry_.Now()); !waiting) {
    return waiting;
  }
  return registry_.dispatcher().TakeToken(call_.principal);  // the session holds its slot
}

void Calling::OnTurn() {
  if (Status may_begin = MayBegin(); !may_begin) {
    return RefuseWithTurn(std::move(may_begin).error());
  }
  const std::shared_ptr<provider::Sandbox> sandbox = registry_.SandboxForCall(session_);
  if (!sandbox) {
    return RefuseWithTurn(registry_.MayCall(session_).error());
  }
  dispatched_ = registry_.Now();
  // The completion keeps this, and so the request that the order refers to.
  sandbox->Run({call_.request, call_.principal, call_.client_gone, nullptr},
               [self = shared_from_this()](provider::KeptCall kept) { self->OnEnd(std::move(kept)); });
}

// The turn is held until the chain has moved, so that the next call's record follows this one's.
void Calling::OnEnd(provider::KeptCall kept) {
  if (kept.ended) {
    registry_.End(session_, *std::move(kept.ended));
  }
  const auto ended = registry_.EndOf(session_);
  if (const Refusal* refusal = base::RefusalIn(kept.outcome)) {
    return RefuseWithTurn(ended ? registry_.MayCall(session_).error()
                                : dispatch::WithCause(*refusal, call_.exchange_deadline, registry_.Now()));
  }
  if (ended && base::FaultIn(kept.outcome) != nullptr) {
    kept.outcome = Fault{FaultKind::kSessionEnded,
                         "the session ended while the code was running: " + std::string(run::Name(ended->reason))};
  }
  const dispatch::SessionPlace place{session_->chain, session_->terms.stated};
  dispatch::Concluded concluded =
      registry_.dispatcher().Conclude({call_, dispatched_, std::move(kept.outcome), &place});
  if (const auto& unanswered = concluded.unanswered) {
    LogUnanswered(*unanswered);
    registry_.GiveTurnAfterCall(session_, *unanswered);
  } else {
    registry_.GiveTurnAfterCall(session_, concluded.answer->record);
  }
  done_({std::move(concluded), ended});
}

void Calling::LogUnanswered(const records::Record& record) {
  const std::array<base::LogField, 4> fields = {{{"caller", call_.principal},
                                                 {"session", record.session},
                                                 {"session_call", record.sequence},
                                                 {"code", record.unanswered}}};
  registry_.log().Write(base::Severity::kWarn, "session call unanswered", fields);
}

void Calling::RefuseWithTurn(base::Error why) {
  registry_.GiveTurn(session_);
  Refuse(std::move(why));
}

void Calling::Refuse(base::Error why) {
  const auto* refusal = std::get_if<Refusal>(&why);
  if (refusal != nullptr) {
    registry_.dispatcher().CountRefusal(*refusal);
  }
  const bool told = refusal != nullptr && refusal->rule == Rule::kSessionEnded;
  done_({{std::move(why)}, told ? registry_.EndOf(session_) : std::nullopt});
}

}  // namespace plimsoll::sessions
