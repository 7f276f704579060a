// A session as the client keeps it. One call at a time holds the turn and is the only one to move the chain; who only
// reads where the session stands takes the lock of `state_`, which nobody holds while he waits.
#include "plimsoll/client_session.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/guarded.h"
#include "clients/cpp/check.h"
#include "clients/cpp/check_annex.h"
#include "clients/cpp/convert.h"
#include "clients/cpp/core.h"
#include "clients/cpp/prepare.h"
#include "clients/cpp/turn_queue.h"
#include "records/chain.h"

namespace plimsoll::client {
namespace {

// The longest close that nobody asked for: of a session that failed its checks, was abandoned, or goes out of scope.
constexpr Milliseconds kFarewell{5000};

// Closes a session whose end nobody waits to hear of. What comes of it is of no use to anyone.
void CloseUnheard(const Core& core, std::string_view session_id) {
  static_cast<void>(core.Call({.method = "CloseSession",
                               .body = WriteCloseSessionRequest(core.options().protocol, session_id),
                               .timeout = std::min(kFarewell, core.options().request_timeout)}));
}

Error Missed(TurnQueue::Missed why) {
  switch (why) {
    case TurnQueue::Missed::kCanceled: return CanceledUnsent();
    case TurnQueue::Missed::kTimedOut: break;
  }
  return {.error_class = ErrorClass::kRequestTimeout,
          .code = Code::kDeadlineExceeded,
          .not_dispatched = NotDispatched::kEnvironment,
          .message = "the time was over before the session's earlier calls were"};
}

Error RefusedHere(ErrorClass error_class, std::string message) {
  return {.error_class = error_class,
          .code = Code::kFailedPrecondition,
          .not_dispatched = NotDispatched::kRequest,
          .message = std::move(message)};
}

}  // namespace

class Session::Impl {
 public:
  Impl(std::shared_ptr<const Core> core, OpenRequest request, OpenAnswer answer)
      : core_(std::move(core)),
        terms_{std::move(request.minimum_isolation), std::move(request.software_rule)},
        session_id_(std::move(answer.session_id)),
        fingerprint_(answer.session),
        opened_{std::move(answer.sandbox), std::move(answer.isolation), std::move(answer.software_identity)},
        expires_(std::chrono::milliseconds(answer.expires_unix_ms)),
        idle_timeout_(answer.idle_timeout_ms),
        state_(State{.chain = records::Chain(std::move(answer.session))}) {}

  ~Impl() {
    if (!ended()) {
      CloseUnheard(*core_, session_id_);
    }
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<AnyResult> Run(run::Payload payload, const RunOptions& options) {
    Result<run::Request> request = PrepareSessionCall(std::move(payload), options, core_->options().protocol, terms_);
    if (!request) {
      return std::move(request).error();
    }
    auto turn = TakeTurn(options.cancel);
    if (const auto* missed = std::get_if<TurnQueue::Missed>(&turn)) {
      return Missed(*missed);
    }
    if (auto refused = RefuseWhenOver()) {
      return *std::move(refused);
    }
    const Sent sent{*request, records::RequestDigest(request->as_sent())};
    auto called = core_->Call({.method = "SessionRun",
                               .body = WriteSessionRunRequest(request->as_sent(), session_id_),
                               .timeout = core_->options().request_timeout,
                               .cancel = options.cancel,
                               .annex = options.annex});
    if (auto* error = std::get_if<CallError>(&called)) {
      return Unanswered(sent, std::move(*error));
    }
    return Answered(sent, std::get<std::string>(called), options.annex);
  }

  Result<SessionSummary> Close(const CallOptions& options) {
    auto turn = TakeTurn(options.cancel);
    if (const auto* missed = std::get_if<TurnQueue::Missed>(&turn)) {
      return Missed(*missed);
    }
    if (const auto closed = state_.Lock()->closed) {
      return *closed;
    }
    auto called = core_->Call({.method = "CloseSession",
                               .body = WriteCloseSessionRequest(core_->options().protocol, session_id_),
                               .timeout = core_->options().request_timeout,
                               .cancel = options.cancel,
                               .cancels = Cancels::kBeforeSending});
    if (auto* error = std::get_if<CallError>(&called)) {
      NoteEnd(error->error.session_ended);
      return std::move(error->error);
    }
    auto read = ReadCloseSessionAnswer(std::get<std::string>(called));
    if (auto* malformed = std::get_if<Malformed>(&read)) {
      return MalformedAnswer(std::move(malformed->problem));
    }
    return Closed(std::get<SessionSummary>(read));
  }

  const std::string& fingerprint() const { return fingerprint_; }
  const Opened& opened() const { return opened_; }
  std::chrono::sys_time<std::chrono::milliseconds> expires() const { return expires_; }
  std::chrono::milliseconds idle_timeout() const { return idle_timeout_; }

  std::optional<SessionEnded> ended() { return state_.Lock()->ended; }
  bool stopped() { return state_.Lock()->stopped; }
  std::uint64_t calls() { return state_.Lock()->chain.calls(); }
  std::string last_record_sha256() { return state_.Lock()->chain.last_sha256(); }

 private:
  struct State {
    records::Chain chain;  // moved by the holder of the turn only
    bool stopped = false;
    std::optional<SessionEnded> ended = {};
    std::optional<Result<SessionSummary>> closed = {};  // the first outcome of a close that was answered
  };

  std::variant<TurnQueue::Turn, TurnQueue::Missed> TakeTurn(const std::stop_token& cancel) {
    return turns_.Take(cancel, WholeMilliseconds(core_->options().request_timeout));
  }

  std::optional<Error> RefuseWhenOver() {
    auto state = state_.Lock();
    if (const std::optional<SessionEnded> ended = state->ended) {
      Error refused =
          RefusedHere(ErrorClass::kSessionEnded, std::string("the session has ended: ").append(Name(ended->reason)));
      refused.session_ended = ended;
      return refused;
    }
    if (state->stopped) {
      return RefusedHere(ErrorClass::kSessionStopped,
                         "the session is stopped: an earlier call may have run and has no checked answer");
    }
    return std::nullopt;
  }

  // The first end that was stated is the one that counts.
  void NoteEnd(const std::optional<SessionEnded>& ended) {
    auto state = state_.Lock();
    if (ended && !state->ended) {
      state->ended = ended;
    }
  }

  // Here and in Unanswered the chain moves, or the session stops (CLI-6).
  Result<AnyResult> Answered(const Sent& sent, std::string_view body, AskForAnnex annex) {
    auto read = ReadSessionRunAnswer(body, annex);
    if (auto* malformed = std::get_if<Malformed>(&read)) {
      state_.Lock()->stopped = true;
      return MalformedAnswer(std::move(malformed->problem));
    }
    auto& answer = std::get<SessionRunAnswer>(read);
    NoteEnd(answer.ended);
    std::optional<Error> failure;
    {
      auto state = state_.Lock();
      failure = CheckSessionAnswer(sent, answer.run, state->chain);
      if (failure) {
        state->stopped = true;
      } else {
        PLIMSOLL_CHECK(answer.run.record.has_value());  // CheckSessionAnswer refuses an answer without one
        state->chain.Advance(*answer.run.record);
      }
    }
    return Settled(std::move(failure), std::move(answer.run));
  }

  // An error goes on as it came, unless it brings a record or an annex that does not check.
  Error Unanswered(const Sent& sent, CallError called) {
    NoteEnd(called.error.session_ended);
    auto state = state_.Lock();
    const records::Record* record = called.unanswered ? &*called.unanswered : nullptr;
    auto failure = record != nullptr ? CheckUnansweredCall(sent, *record, opened_, state->chain) : std::nullopt;
    if (failure) {
      state->stopped = true;
      failure->http_status = called.error.http_status;
      failure->session_ended = std::move(called.error.session_ended);
      return *std::move(failure);
    }
    Error error = WithAnnex(sent, std::move(called.error), std::move(called.annex), record);
    if (record != nullptr && !IsDataLoss(error.error_class)) {
      state->chain.Advance(*record);
      error.unanswered = PublicRecord(*record);
    } else if (!error.not_dispatched) {
      state->stopped = true;
    }
    return error;
  }

  Result<SessionSummary> Closed(const SessionSummary& summary) {
    NoteEnd(SessionEnded{.reason = summary.ended});
    auto state = state_.Lock();
    Result<SessionSummary> outcome = summary;
    if (auto failure = CheckCloseAnswer(summary, state->chain)) {
      failure->http_status = 200;
      outcome = *std::move(failure);
    }
    state->closed = outcome;
    return outcome;
  }

  const std::shared_ptr<const Core> core_;  // shared with the client, which the session may outlive
  const SessionTerms terms_;
  const std::string session_id_;  // a capability (CLI-7)
  const std::string fingerprint_;
  const Opened opened_;
  const std::chrono::sys_time<std::chrono::milliseconds> expires_;
  const std::chrono::milliseconds idle_timeout_;
  base::Guarded<State> state_;
  TurnQueue turns_;
};

Result<Session> Session::Open(std::shared_ptr<const Core> core, const OpenSessionOptions& options,
                              const CallOptions& call) {
  Result<OpenRequest> request = PrepareOpen(options, core->options());
  if (!request) {
    return std::move(request).error();
  }
  auto called = core->Call({.method = "OpenSession",
                            .body = WriteOpenSessionRequest(*request),
                            .timeout = core->options().request_timeout,
                            .cancel = call.cancel,
                            .cancels = Cancels::kBeforeSending});
  if (auto* error = std::get_if<CallError>(&called)) {
    return std::move(error->error);
  }
  auto read = ReadOpenSessionAnswer(std::get<std::string>(called));
  if (auto* malformed = std::get_if<Malformed>(&read)) {
    return MalformedAnswer(std::move(malformed->problem));
  }
  auto& answer = std::get<OpenAnswer>(read);
  std::optional<Error> failure = CheckOpenAnswer(*request, answer);
  if (!failure && call.cancel.stop_requested()) {
    failure = Error{.error_class = ErrorClass::kRequestCanceled,
                    .code = Code::kCanceled,
                    .message = "the call was canceled after it was sent; the session it opened is closed again"};
  }
  if (failure) {
    CloseUnheard(*core, answer.session_id);  // CLI-8
    failure->http_status = 200;
    return *std::move(failure);
  }
  return Session(std::make_unique<Impl>(std::move(core), *std::move(request), std::move(answer)));
}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<JavaScriptResult> Session::RunJavaScript(std::string code, const RunOptions& options) {
  return Only<JavaScriptResult>(impl_->Run(run::JavaScript{std::move(code), options.grant_profile}, options));
}

Result<ProjectResult> Session::RunProject(Project project, const RunOptions& options) {
  return Only<ProjectResult>(impl_->Run(PayloadOf(std::move(project), options.grant_profile), options));
}

Result<CellResult> Session::RunCell(Cell cell, const RunOptions& options) {
  if (!options.grant_profile.empty()) {
    return InvalidRequest("grant_profile: a cell takes none");
  }
  return Only<CellResult>(impl_->Run(PayloadOf(std::move(cell)), options));
}

Result<SessionSummary> Session::Close(const CallOptions& options) { return impl_->Close(options); }

const std::string& Session::fingerprint() const { return impl_->fingerprint(); }
const std::string& Session::provider() const { return impl_->opened().provider; }
const std::string& Session::isolation() const { return impl_->opened().isolation; }
const std::string& Session::software_identity() const { return impl_->opened().software_identity; }
std::chrono::sys_time<std::chrono::milliseconds> Session::expires() const { return impl_->expires(); }
std::chrono::milliseconds Session::idle_timeout() const { return impl_->idle_timeout(); }
std::optional<SessionEnded> Session::ended() const { return impl_->ended(); }
bool Session::stopped() const { return impl_->stopped(); }
std::uint64_t Session::calls() const { return impl_->calls(); }
std::string Session::last_record_sha256() const { return impl_->last_record_sha256(); }

}  // namespace plimsoll::client
