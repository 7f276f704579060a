#include "providers/docker/kept_container.h"

#include <array>
#include <functional>
#include <thread>
#include <utility>
#include <variant>

#include "providers/docker/read_back.h"
#include "providers/docker/requested_call.h"

namespace plimsoll::docker {
namespace {

namespace agent = frames::agent;
using provider::KeptCall;
using run::SessionEnd;
using run::SessionEnded;
using std::chrono::milliseconds;

constexpr milliseconds kControlLimit{60'000};  // of one operation of the engine before a call
// Of a look at a container whose call is over: its answer waits.
constexpr milliseconds kLookLimit{2'000};
// How long an answer waits for a guest that is still running to be ended by the agent, and then by the engine.
constexpr milliseconds kSettleLimit{2'000};
constexpr milliseconds kKillLimit{400};
// The agent's own 20 s and the way.
constexpr milliseconds kSweepLimit{25'000};
constexpr milliseconds kPauseLimit{90'000};
// How long a resumed container may read as paused.
constexpr milliseconds kThawNoted{2'000};
constexpr milliseconds kLookAgain{10};
// Of a resume that only makes a removal fast.
constexpr milliseconds kThawLimit{10'000};

using OnStop = std::stop_callback<std::function<void()>>;

SessionEnded BoundaryFailed(std::string detail) {
  return {.reason = SessionEnd::kBoundaryFailed, .detail = std::move(detail)};
}

KeptCall Refused(base::Rule rule, std::string message) { return {.outcome = base::Refusal{rule, std::move(message)}}; }

// The session is over and nothing of this call ran.
KeptCall EndedBefore(SessionEnded end) {
  return {.outcome = base::Refusal{base::Rule::kUnavailable, "the session has ended: " + end.detail},
          .ended = std::move(end)};
}

bool HasFailed(const run::Result& result) {
  if (const auto* snippet = std::get_if<run::JavaScriptResult>(&result)) {
    return snippet->exit_code != 0;
  }
  const auto* project = std::get_if<run::ProjectResult>(&result);
  return project != nullptr && (project->outcome != run::Outcome::kCompleted || project->steps.empty() ||
                                project->steps.back().exit_code != 0);
}

// Whether a snippet's agent has said how it exited before its container ended.
bool HasResult(CallTranscript& transcript) {
  return transcript.kind() == agent::Kind::kSnippet && transcript.started() && transcript.steps().back().exited;
}

}  // namespace

void KeptContainer::Note(std::string_view message, std::string_view detail) const {
  const std::array<base::LogField, 2> fields = {
      {{"container", std::string_view(sandbox_->name())}, {"detail", detail}}};
  tools_.log.Write(base::Severity::kWarn, message, fields);
}

base::Status KeptContainer::Accept(const http::Bounds& bounds) {
  const State& state = *sandbox_->state();
  auto made = state.engine->Examine(sandbox_->id(), bounds);
  if (const auto* error = std::get_if<EngineError>(&made)) {
    return base::Fault{base::FaultKind::kUnavailable, "inspecting a new container failed: " + error->detail};
  }
  opened_ = std::move(std::get<ContainerRecord>(made));
  if (const auto flaw = FlawOf(opened_, state.images.at(sandbox_->role()).id)) {
    return base::Fault{base::FaultKind::kInternal, "a new container is not as it was asked for: " + *flaw};
  }
  const auto swept = sandbox_->Sweep({.disk_budget = tools_.disk_budget}, bounds);
  if (!swept) {
    return swept.error();
  }
  if (swept->verdict != agent::Swept::Verdict::kClean) {
    return base::Fault{base::FaultKind::kInternal, "the first sweep of a new container gave verdict " +
                                                       std::to_string(static_cast<int>(swept->verdict))};
  }
  return base::Ok();
}

// --- before a call

std::optional<base::Refusal> KeptContainer::Refuse(const run::Request& request) const {
  if (request.kind() == run::Kind::kCell) {
    return base::Refusal{base::Rule::kNotProven, "no interpreter for cells is proven in the image of this session"};
  }
  if (auto refusal = RefuseKindOrGrant(request)) {
    return refusal;
  }
  if (auto refusal = RefuseState(request, *sandbox_->state(), sandbox_->role())) {
    return refusal;
  }
  // An image may declare an environment that no plan can hold.
  if (const auto checked = agent::CheckPlan(PlanOf(*sandbox_, request)); !checked) {
    return base::Refusal{base::Rule::kNotProven, "the environment of the session's image does not fit a plan"};
  }
  return std::nullopt;
}

KeptContainer::Looked KeptContainer::Look(const http::Bounds& bounds) {
  Engine& engine = *sandbox_->state()->engine;
  auto answer = engine.Examine(sandbox_->id(), bounds);
  if (auto* record = std::get_if<ContainerRecord>(&answer)) {
    return {.record = std::move(*record)};
  }
  Note("docker: a kept sandbox could not be inspected", std::get<EngineError>(answer).detail);
  const auto listed = engine.ListById(sandbox_->id(), bounds);
  const auto* containers = std::get_if<std::vector<ContainerListed>>(&listed);
  return {.is_gone = containers != nullptr && containers->empty()};
}

std::optional<SessionEnded> KeptContainer::Resume(const std::stop_token& removal) {
  if (!is_paused_) {
    return std::nullopt;
  }
  const auto thawed =
      sandbox_->state()->engine->Unpause(sandbox_->id(), {.deadline = In(kControlLimit), .stop = removal});
  if (std::holds_alternative<base::Done>(thawed)) {
    is_paused_ = false;
    is_thawing_ = true;
    return std::nullopt;
  }
  Note("docker: a kept sandbox could not be resumed", std::get<EngineError>(thawed).detail);
  const Looked looked = Look({.deadline = In(kLookLimit), .stop = removal});
  if (looked.is_gone) {
    return GoneBetweenCalls();
  }
  using Status = ContainerState::Status;
  if (looked.record && looked.record->state.status == Status::kRunning) {
    return SessionEnded{.reason = SessionEnd::kSandboxChanged, .detail = "the sandbox was resumed by somebody else"};
  }
  if (looked.record && looked.record->state.status != Status::kPaused) {
    return EndOf(looked.record->state);
  }
  return BoundaryFailed("the sandbox could not be resumed");
}

// An engine may note a pause after it has answered that the pause is over, and then correct itself: a container that we
// have just resumed may read as paused for a moment, and one that another has paused still does at its end.
KeptContainer::Looked KeptContainer::LookUntilThawed(const std::stop_token& stop) {
  const http::Bounds bounds{.deadline = In(kControlLimit), .stop = stop};
  const base::SteadyTime settled = In(kThawNoted);
  Looked looked = Look(bounds);
  while (is_thawing_ && looked.record && looked.record->state.status == ContainerState::Status::kPaused &&
         tools_.clock.Steady() < settled && !stop.stop_requested()) {
    std::this_thread::sleep_for(kLookAgain);
    looked = Look(bounds);
  }
  is_thawing_ = false;
  return looked;
}

std::optional<KeptCall> KeptContainer::ReadBack(const std::stop_token& stop) {
  const Looked looked = LookUntilThawed(stop);
  if (stop.stop_requested()) {
    return Refused(base::Rule::kCanceled, "the caller left before its code was started");
  }
  if (looked.is_gone) {
    return EndedBefore(GoneBetweenCalls());
  }
  if (!looked.record) {
    return Refused(base::Rule::kUnavailable, "the sandbox of this session cannot be read back now; ask again later");
  }
  auto end = EndOf(*looked.record, opened_);
  if (!end) {
    return std::nullopt;
  }
  is_paused_ = looked.record->state.status == ContainerState::Status::kPaused;  // whoever did it
  Note("docker: a kept sandbox is not as it was opened", DifferenceOf(*looked.record, opened_));
  return EndedBefore(std::move(*end));
}

std::optional<KeptCall> KeptContainer::MakeReady(const std::stop_token& stop, const std::stop_token& removal) {
  if (auto end = Resume(removal)) {
    return EndedBefore(std::move(*end));
  }
  return ReadBack(stop);
}

// --- the call

KeptCall KeptContainer::Call(const provider::Order& order, const std::stop_token& removal) {
  std::stop_source stop;
  const OnStop on_caller(order.stop, [&stop] { stop.request_stop(); });
  const OnStop on_removal(removal, [&stop] { stop.request_stop(); });
  if (auto refusal = Refuse(order.request)) {
    return {.outcome = std::move(*refusal)};
  }
  if (auto answer = MakeReady(stop.get_token(), removal)) {
    return std::move(*answer);
  }
  began_ = tools_.clock.Steady();
  const base::SteadyTime deadline = began_ + BudgetOf(order.request);
  is_unswept_ = true;
  if (auto prepared = sandbox_->Prepare(KindOf(order.request), PlanOf(*sandbox_, order.request),
                                        {.deadline = deadline, .stop = stop.get_token()});
      !prepared) {
    return NotPrepared(prepared.error(), order, removal);
  }
  CallEnd end = sandbox_->Run(FilesOf(order.request), deadline, TimesOf(order.request.kind()).grace, stop.get_token());
  if (!end.detail.empty()) {
    // Our own words: what a guest wrote is in no detail.
    Note("docker: a call did not end by its agent's word", end.detail);
  }
  if (removal.stop_requested() && end.how != CallEnd::How::kDone) {
    // A guest that may still run is taken down before its caller is told that it is over (DOC-6).
    tools_.launcher.Kill(*sandbox_, {.deadline = In(kKillLimit)});
    return {.outcome = base::Fault{base::FaultKind::kCanceled, "the sandbox was removed during the call"}};
  }
  return Answer(order, std::move(end), deadline);
}

// No code was sent, so nothing of the call ran.
KeptCall KeptContainer::NotPrepared(const base::Error& error, const provider::Order& order,
                                    const std::stop_token& removal) {
  Note("docker: a call could not be opened", base::TextOf(error));
  KeptCall answer = order.stop.stop_requested()
                        ? Refused(base::Rule::kCanceled, "the caller left before its code was started")
                        : Refused(base::Rule::kUnavailable, "the sandbox of this session takes no call");
  if (!removal.stop_requested() && !sandbox_->Settle({.deadline = In(kSettleLimit), .stop = removal})) {
    answer.ended = Doubt("the sandbox does not answer");
  }
  return answer;
}

// How the sandbox has ended by the end of this call, if it has. A call that is still under way is ended by its agent.
std::optional<SessionEnded> KeptContainer::EndOfCall(CallEnd& end) {
  switch (end.how) {
    case CallEnd::How::kDone: return std::nullopt;
    case CallEnd::How::kContainerEnded: return end.container ? EndOf(*end.container) : std::optional(GoneDuringCall());
    case CallEnd::How::kViolation: return Doubt("the sandbox broke its protocol");
    case CallEnd::How::kLost: return Doubt("the connection to the sandbox was lost");
    case CallEnd::How::kSilent:
    case CallEnd::How::kCanceled: break;
  }
  if (auto settled = sandbox_->Settle({.deadline = In(kSettleLimit)}); !settled) {
    Note("docker: a call could not be ended", base::TextOf(settled.error()));
    return Doubt("what ran in the sandbox could not be ended");
  }
  if (end.how == CallEnd::How::kSilent) {
    end.how = CallEnd::How::kDone;
    end.exit_heard = end.exit_heard.value_or(tools_.clock.Steady());
  }
  return std::nullopt;
}

KeptCall KeptContainer::Answer(const provider::Order& order, CallEnd end, base::SteadyTime deadline) {
  const base::SteadyTime over = end.exit_heard.value_or(tools_.clock.Steady());
  auto ended = EndOfCall(end);
  CallTranscript& transcript = sandbox_->transcript();
  // The engine's exit status of a container is no call's.
  if (end.how == CallEnd::How::kContainerEnded && !HasResult(transcript)) {
    return {.outcome = base::Fault{base::FaultKind::kUnavailable, "the sandbox ended during the call"},
            .ended = std::move(ended)};
  }
  auto result = VerdictOf(end, transcript, order.request, deadline);
  if (!result) {
    return {.outcome = std::move(result).error(), .ended = std::move(ended)};
  }
  const bool has_failed = HasFailed(*result);
  KeptCall answer{
      .outcome = ReportOf(*sandbox_, std::move(*result), std::chrono::duration_cast<milliseconds>(over - began_)),
      .ended = std::move(ended)};
  if (has_failed && !answer.ended) {
    CheckAfter(answer);
  }
  return answer;
}

// After any exit but 0 the container is looked at: of one that is gone, stopped or paused the status is not used.
void KeptContainer::CheckAfter(KeptCall& answer) {
  const Looked looked = Look({.deadline = In(kLookLimit)});
  if (!looked.record && !looked.is_gone) {
    answer.ended = BoundaryFailed("the sandbox could not be read back after a call");
    return;
  }
  answer.ended = looked.is_gone ? std::optional(GoneDuringCall()) : EndOf(looked.record->state);
  if (answer.ended) {
    answer.outcome = base::Fault{base::FaultKind::kUnavailable, "the sandbox ended during the call"};
  }
}

// --- after a call

// The end of a sandbox that can no longer be trusted to hold what it should. Its container is taken down, whatever the
// engine says of it.
SessionEnded KeptContainer::Doubt(std::string detail) {
  const Looked looked = Look({.deadline = In(kLookLimit)});
  if (looked.is_gone) {
    return GoneDuringCall();
  }
  auto end = looked.record ? EndOf(looked.record->state) : std::nullopt;
  tools_.launcher.Kill(*sandbox_, {.deadline = In(kKillLimit)});
  return end ? std::move(*end) : BoundaryFailed(std::move(detail));
}

std::optional<SessionEnded> KeptContainer::SweepUp(const std::stop_token& removal) {
  if (!is_unswept_) {
    return std::nullopt;
  }
  const auto swept =
      sandbox_->Sweep({.disk_budget = tools_.disk_budget}, {.deadline = In(kSweepLimit), .stop = removal});
  if (removal.stop_requested()) {
    return std::nullopt;
  }
  if (!swept) {
    Note("docker: a sweep gave no verdict", base::TextOf(swept.error()));
    return Doubt("what the call left could not be cleared");
  }
  switch (swept->verdict) {
    case agent::Swept::Verdict::kClean: is_unswept_ = false; return std::nullopt;
    case agent::Swept::Verdict::kOverBudget:
      return SessionEnded{.reason = SessionEnd::kDiskExceeded,
                          .detail = "the files take " + std::to_string(swept->used) + " bytes; the bound is " +
                                    std::to_string(tools_.disk_budget)};
    case agent::Swept::Verdict::kUnmeasurable:
      return SessionEnded{.reason = SessionEnd::kDiskExceeded, .detail = "what the files take could not be measured"};
    case agent::Swept::Verdict::kUnproven: break;
  }
  return Doubt("what the call left could not be cleared");
}

// A frozen container is slow to kill: under runsc an engine gives up on it after ten seconds.
bool KeptContainer::Remove() {
  if (std::exchange(is_paused_, false)) {
    static_cast<void>(sandbox_->state()->engine->Unpause(sandbox_->id(), {.deadline = In(kThawLimit)}));
  }
  return tools_.launcher.TryRemove(*sandbox_);
}

base::Status KeptContainer::Suspend(const http::Bounds& bounds) {
  const http::Bounds limited{.deadline = std::min(bounds.deadline, In(kPauseLimit)), .stop = bounds.stop};
  const auto paused = sandbox_->state()->engine->Pause(sandbox_->id(), limited);
  if (const auto* error = std::get_if<EngineError>(&paused)) {
    return base::Fault{base::FaultKind::kUnavailable, "pausing a container failed: " + error->detail};
  }
  is_paused_ = true;
  return base::Ok();
}

}  // namespace plimsoll::docker
