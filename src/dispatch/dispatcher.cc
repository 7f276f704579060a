#include "dispatch/dispatcher.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <utility>

#include "admission/check.h"
#include "base/cleanup.h"
#include "base/guarded.h"
#include "base/hex.h"
#include "dispatch/audit.h"

namespace plimsoll::dispatch {
namespace {

using base::Fault;
using base::FaultKind;
using base::Refusal;
using base::Result;
using base::Rule;
using base::Status;
using std::chrono::floor;
using std::chrono::milliseconds;

// A provider knows that it was told to stop, and not why: a caller whose own deadline has passed did not leave.
Fault WithCause(const Fault& fault, const Call& call, base::SteadyTime now) {
  if (fault.kind != FaultKind::kCanceled || !call.exchange_deadline || now < *call.exchange_deadline) {
    return fault;
  }
  return {FaultKind::kDeadline, "the caller's own deadline passed; its run was stopped"};
}

Refusal DeadlinePassed() { return {Rule::kDeadlinePassed, "the caller's deadline passed before the code was started"}; }

constexpr std::size_t kMaxLoggedErrorBytes = 4096;

// Cut to whole milliseconds, so that the end is never before the start (records.md 4.4).
std::int64_t UnixMs(base::WallTime time) { return floor<milliseconds>(time.time_since_epoch()).count(); }

// The times of a record: the calendar's at the request, and as much later as steady time has gone on since.
struct Times {
  std::int64_t started_unix_ms;
  std::int64_t ended_unix_ms;
};
Times TimesOf(const Received& received, base::SteadyTime now) {
  const auto elapsed = floor<std::chrono::microseconds>(std::max(now - received.steady, base::SteadyTime::duration(0)));
  return {UnixMs(received.wall), UnixMs(received.wall + elapsed)};
}

}  // namespace

Refusal WithCause(Refusal refusal, const std::optional<base::SteadyTime>& deadline, base::SteadyTime now) {
  const bool is_late = refusal.rule == Rule::kCanceled && deadline && *deadline <= now;
  return is_late ? DeadlinePassed() : std::move(refusal);
}

Status StillWaiting(const std::optional<base::SteadyTime>& deadline, const std::stop_token& client_gone,
                    base::SteadyTime now) {
  if (deadline && *deadline <= now) {
    return DeadlinePassed();
  }
  if (client_gone.stop_requested()) {
    return Refusal{Rule::kCanceled, "the caller left before the code was started"};
  }
  return base::Ok();
}

std::string_view UnansweredCode(FaultKind kind) {
  switch (kind) {
    case FaultKind::kCanceled: return "canceled";
    case FaultKind::kDeadline: return "deadline_exceeded";
    case FaultKind::kSessionEnded: return "failed_precondition";
    case FaultKind::kUnavailable:
    case FaultKind::kOverloaded:
    case FaultKind::kInternal: return "internal";
  }
  return "internal";  // unreachable: the switch is complete and -Wswitch keeps it so
}

// One admitted call. Owned by the provider's completion; the provider's Order refers to it.
struct Dispatcher::Pending {
  Call call;
  CallDone done;
  base::SteadyTime dispatched;
  base::Cleanup slots;
};

struct Dispatcher::State {
  explicit State(admission::Quotas quotas) : ledger(admission::Ledger(quotas)) {}
  base::Guarded<admission::Ledger> ledger;
  std::atomic<std::uint64_t> dispatched{0};
  std::atomic<std::uint64_t> faults{0};
  std::array<std::atomic<std::uint64_t>, 7> refusals{};
};

Dispatcher::Dispatcher(Options options, provider::Provider& provider, const base::Clock& clock, base::Random& random,
                       base::LogSink& log)
    : options_(options),
      provider_(provider),
      clock_(clock),
      random_(random),
      log_(log),
      state_(std::make_unique<State>(options.quotas)) {}

Dispatcher::~Dispatcher() = default;

void Dispatcher::Run(Call call, CallDone done) {
  base::Result<base::Cleanup> slot = Admit(call);
  if (!slot) {
    if (const Refusal* refusal = base::RefusalIn(slot)) {
      CountRefusal(*refusal);
    }
    done(std::move(slot).error());
    return;
  }
  Start(std::make_shared<Pending>(Pending{std::move(call), std::move(done), clock_.Steady(), std::move(*slot)}));
}

// ADM-4: capacity is asked last, so a request that can never run takes no slot and no token.
Result<base::Cleanup> Dispatcher::Admit(const Call& call) {
  const admission::Standing standing{provider_.Offer(), provider_.Tier(), options_.operator_floor};
  if (Status may_run = admission::MayRun(call.request, standing); !may_run) {
    return std::move(may_run).error();
  }
  if (Status waiting = StillWaiting(call.exchange_deadline, call.client_gone, clock_.Steady()); !waiting) {
    return std::move(waiting).error();
  }
  return TakeSlot(call.principal);
}

Result<base::Cleanup> Dispatcher::TakeSlot(const std::string& principal) {
  if (Status admitted = state_->ledger.Lock()->Admit(principal, clock_.Steady()); !admitted) {
    return std::move(admitted).error();
  }
  return base::Cleanup([this, principal] { state_->ledger.Lock()->Release(principal); });
}

Status Dispatcher::TakeToken(const std::string& principal) {
  return state_->ledger.Lock()->TakeToken(principal, clock_.Steady());
}

void Dispatcher::Start(std::shared_ptr<Pending> pending) {
  Pending& call = *pending;
  // The completion shares ownership with nobody else; it is what keeps the request alive while the provider works.
  provider_.Run(
      provider::Order{call.call.request, call.call.principal, call.call.client_gone, &call.slots},
      [this, pending = std::move(pending)](Result<run::Report> outcome) { Finish(*pending, std::move(outcome)); });
}

void Dispatcher::Finish(Pending& pending, Result<run::Report> outcome) {
  pending.slots.Release();  // before the answer, so that who has it can run again; nothing when the provider keeps them
  pending.done(Conclude({pending.call, pending.dispatched, std::move(outcome)}).answer);
}

Concluded Dispatcher::Conclude(Ended ended) {
  if (const Refusal* refusal = base::RefusalIn(ended.outcome)) {
    Refusal sent = WithCause(*refusal, ended.call.exchange_deadline, clock_.Steady());
    CountRefusal(sent);
    return {std::move(sent)};
  }
  state_->dispatched.fetch_add(1, std::memory_order_relaxed);
  if (const Fault* fault = base::FaultIn(ended.outcome)) {
    return ConcludeFailed(ended, *fault);
  }
  Answer answer{std::move(ended.outcome).value(), {}};
  records::MakeRecordable(answer.report);
  const Times times = TimesOf(ended.call.received, clock_.Steady());
  answer.record = records::Stamp(ended.call.request.as_sent(), answer.report, provider_.Offer().policy,
                                 times.started_unix_ms, times.ended_unix_ms);
  if (ended.place != nullptr) {
    answer.record = ended.place->chain.Next(std::move(answer.record));
  }
  WriteAudit({.call = ended.call,
              .provider = answer.report.provider,
              .tier = answer.report.tier,
              .duration = answer.report.duration,
              .report = &answer.report,
              .session = answer.record.session,
              .session_call = answer.record.sequence},
             log_);
  return {std::move(answer)};
}

Concluded Dispatcher::ConcludeFailed(const Ended& ended, const Fault& reported) {
  const base::SteadyTime now = clock_.Steady();
  const Fault fault = WithCause(reported, ended.call, now);
  std::string error_id;
  Fault sent = Public(fault, error_id);
  std::optional<records::Record> unanswered;
  if (ended.place != nullptr) {
    const Times times = TimesOf(ended.call.received, now);
    unanswered = ended.place->chain.Next(records::StampUnanswered(ended.call.request.as_sent(), ended.place->stated,
                                                                  provider_.Offer().policy, times.started_unix_ms,
                                                                  times.ended_unix_ms, UnansweredCode(sent.kind)));
  }
  WriteAudit({.call = ended.call,
              .provider = provider_.Offer().provider,
              .tier = ended.place != nullptr ? ended.place->stated.tier : provider_.Tier(),
              .duration = floor<milliseconds>(now - ended.dispatched),
              .error = std::string_view(fault.detail).substr(0, kMaxLoggedErrorBytes),
              .error_id = error_id,
              .session = unanswered ? std::string_view(unanswered->session) : std::string_view(),
              .session_call = unanswered ? unanswered->sequence : 0},
             log_);
  return {std::move(sent), std::move(unanswered)};
}

Fault Dispatcher::ConcludeFault(const Fault& fault, std::string_view message) {
  std::string error_id;
  Fault sent = Public(fault, error_id);
  const std::array<base::LogField, 2> fields = {
      {{"error", std::string_view(fault.detail).substr(0, kMaxLoggedErrorBytes)}, {"error_id", error_id}}};
  log_.Write(base::Severity::kError, message, fields);
  return sent;
}

// The caller gets an id and a fixed sentence; paths, processes and errno stay in the log (wire.md 6).
Fault Dispatcher::Public(const Fault& fault, std::string& error_id) {
  switch (fault.kind) {
    case FaultKind::kCanceled: return Fault{fault.kind, "the caller left while the code was running"};
    case FaultKind::kDeadline: return Fault{fault.kind, "the caller's deadline passed while the code was running"};
    case FaultKind::kSessionEnded: return fault;  // in the daemon's own words already
    case FaultKind::kUnavailable:
    case FaultKind::kOverloaded:
    case FaultKind::kInternal: break;
  }
  state_->faults.fetch_add(1, std::memory_order_relaxed);
  std::array<std::byte, 8> raw{};
  random_.Fill(raw);
  error_id = base::HexOf(raw);
  return Fault{FaultKind::kInternal,
               "internal error " + error_id + ": the run failed and may have run in part; the daemon's log says why"};
}

void Dispatcher::CountRefusal(const Refusal& refusal) {
  const auto reason = static_cast<std::size_t>(base::ReasonOf(refusal.rule));
  state_->refusals.at(reason).fetch_add(1, std::memory_order_relaxed);
}

Totals Dispatcher::totals() const {
  Totals totals;
  totals.dispatched = state_->dispatched.load(std::memory_order_relaxed);
  totals.faults = state_->faults.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < totals.refusals_by_reason.size(); ++i) {
    totals.refusals_by_reason.at(i) = state_->refusals.at(i).load(std::memory_order_relaxed);
  }
  auto ledger = state_->ledger.Lock();
  totals.in_flight = ledger->in_flight();
  totals.shed_at_capacity = ledger->shed(admission::Shed::kAtCapacity);
  totals.shed_per_key = ledger->shed(admission::Shed::kPerKey);
  totals.shed_rate = ledger->shed(admission::Shed::kRate);
  return totals;
}

}  // namespace plimsoll::dispatch
