#include "plimsoll/sandbox.h"

#include <algorithm>
#include <future>
#include <limits>
#include <utility>

#include "base/check.h"
#include "dispatch/dispatcher.h"
#include "embed/build.h"
#include "os/system_clock.h"
#include "os/system_random.h"
#include "records/probes.h"
#include "records/restate.h"
#include "run/restate.h"

namespace plimsoll {
namespace {

constexpr std::uint32_t kProtocol = 5;
constexpr std::chrono::minutes kStartLimit{2};
constexpr std::chrono::seconds kStopLimit{30};

// An embedder keeps its own log.
class NoLog final : public base::LogSink {
 public:
  void Write(base::Severity, std::string_view, std::span<const base::LogField>) override {}
};

template <typename Outcome>
Outcome PublicError(const base::Error& error) {
  if (const auto* refusal = std::get_if<base::Refusal>(&error)) {
    return Refusal{std::string(base::Name(base::ReasonOf(refusal->rule))), refusal->message};
  }
  return Fault{std::get<base::Fault>(error).detail};
}

// To a snippet's result or a project's.
template <typename Result>
void AddEvidence(dispatch::Answer& answer, Result& out) {
  out.provider = std::move(answer.report.provider);
  out.isolation = isolation::Name(answer.report.tier);
  out.environment = std::move(answer.report.environment);
  out.duration = answer.report.duration;
  records::MoveRecord(answer.record, out.record);
}

RunOutcome PublicSnippet(base::Result<dispatch::Answer> answer) {
  if (!answer) {
    return PublicError<RunOutcome>(answer.error());
  }
  auto* snippet = std::get_if<run::JavaScriptResult>(&answer->report.result);
  PLIMSOLL_CHECK(snippet != nullptr);
  RunResult out;
  run::MoveOutput(*snippet, out);
  AddEvidence(*answer, out);
  return out;
}

ProjectResult PublicProject(run::ProjectResult project) {
  // A provider never reports an unspecified outcome; the numbers are the same on both sides.
  PLIMSOLL_CHECK(project.outcome != run::Outcome::kUnspecified);
  ProjectResult out;
  out.outcome = static_cast<ProjectResult::Outcome>(project.outcome);
  out.outcome_detail = std::move(project.outcome_detail);
  run::MoveStepsAndArtifacts(project, out);
  out.artifacts_truncated = project.artifacts_truncated;
  return out;
}

ProjectOutcome PublicProject(base::Result<dispatch::Answer> answer) {
  if (!answer) {
    return PublicError<ProjectOutcome>(answer.error());
  }
  auto* project = std::get_if<run::ProjectResult>(&answer->report.result);
  PLIMSOLL_CHECK(project != nullptr);
  ProjectResult out = PublicProject(std::move(*project));
  AddEvidence(*answer, out);
  return out;
}

ProbeReport PublicProbes(const isolation::ProbeReport& report) {
  const records::Probes hashed = records::ProbesOf(report);
  auto out = records::ProbesHeadAs<ProbeReport>(hashed);
  out.sha256 = records::ProbesDigest(hashed);
  for (const isolation::Probe& probe : report.probes) {
    out.probes.push_back(
        {probe.id, std::string(isolation::Name(probe.outcome)), probe.tried, probe.detail, probe.at_unix_ms});
  }
  return out;
}

std::string_view IdentityOf(const std::optional<isolation::Environment>& environment) {
  return environment ? std::string_view(environment->identity) : std::string_view();
}

std::chrono::milliseconds CeilingOf(const std::optional<isolation::Environment>& environment) {
  return environment ? environment->max_timeout : std::chrono::milliseconds(0);
}

run::Payload PayloadOf(Project project) {
  run::Project out{{}, std::move(project.steps), std::move(project.artifacts), ""};
  for (Project::File& file : project.files) {
    out.files.push_back({std::move(file.path), std::move(file.content)});
  }
  return out;
}

run::Draft DraftOf(run::Payload payload, const RunOptions& options) {
  run::Draft draft;
  draft.protocol = kProtocol;
  draft.minimum_isolation = options.minimum_isolation;
  draft.trace_id = options.trace_id;
  draft.timeout_ms = static_cast<std::int32_t>(
      std::clamp<std::chrono::milliseconds::rep>(options.timeout.count(), 0, std::numeric_limits<std::int32_t>::max()));
  draft.payload = std::move(payload);
  return draft;
}

}  // namespace

// Order of members is the order of use: the dispatcher refers to all above it.
class Sandbox::State {
 public:
  // Builds and proves the provider; the error's text is fit for an operator.
  static base::Result<std::unique_ptr<State>> Make(const Options& options) {
    auto state = std::unique_ptr<State>(new State());
    auto floor = isolation::Floor::Parse(options.minimum_isolation);
    if (!floor) {
      return floor.error();
    }
    auto provider = embed::BuildProvider(options, state->clock_, state->random_, state->log_);
    if (!provider) {
      return provider.error();
    }
    state->provider_ = std::move(*provider);
    const base::SteadyTime deadline = state->clock_.Steady() + kStartLimit;
    base::Status proved = state->provider_->Preflight(deadline);
    proved = proved ? state->provider_->SmokeTest(deadline) : std::move(proved);
    if (!proved) {
      return proved.error();
    }
    if (auto below = isolation::RefuseBelow(*floor, state->provider_->Tier())) {
      return *below;
    }
    const admission::Quotas quotas{
        .max_concurrent = options.max_concurrent, .per_caller_concurrent = 0, .rate_per_minute = 0, .rate_burst = 0};
    state->dispatcher_ = std::make_unique<dispatch::Dispatcher>(dispatch::Options{*floor, quotas}, *state->provider_,
                                                                state->clock_, state->random_, state->log_);
    return state;
  }

  ~State() {
    if (provider_ != nullptr) {
      static_cast<void>(provider_->Drain(clock_.Steady() + kStopLimit));
    }
    // A drain that ran out of time leaves runs behind: the provider ends them, and their slots go back to the
    // dispatcher, which goes after it.
    provider_.reset();
  }

  base::Result<dispatch::Answer> Run(run::Payload payload, const RunOptions& options) {
    const dispatch::Received received{clock_.Wall(), clock_.Steady()};
    auto request = run::Request::Validate(DraftOf(std::move(payload), options), run::Request::Cells::kRefused);
    if (!request) {
      return request.error();
    }
    // The provider keeps the run's deadline and the dispatcher calls back exactly once (DIS-1), so this wait ends.
    std::promise<base::Result<dispatch::Answer>> ended;
    auto answer = ended.get_future();
    dispatcher_->Run(dispatch::Call{.request = std::move(*request),
                                    .principal = "embedder",
                                    .received = received,
                                    .exchange_deadline = std::nullopt,
                                    .client_gone = options.stop},
                     [&ended](base::Result<dispatch::Answer> result) { ended.set_value(std::move(result)); });
    return answer.get();
  }

  const provider::Provider& provider() const { return *provider_; }

 private:
  State() = default;

  os::SystemClock clock_;
  os::SystemRandom random_;
  NoLog log_;
  std::unique_ptr<provider::Provider> provider_;
  std::unique_ptr<dispatch::Dispatcher> dispatcher_;
};

std::variant<Sandbox, StartError> Sandbox::Open(const Options& options) {
  if (options.max_concurrent < 1 || options.max_concurrent > 1024) {
    return StartError{"max_concurrent: " + std::to_string(options.max_concurrent) + ", it must be 1 to 1024"};
  }
  if (options.docker.run_pool < 0 || options.docker.run_pool > 64) {
    return StartError{"docker.run_pool: " + std::to_string(options.docker.run_pool) + ", it must be 0 to 64"};
  }
  auto state = State::Make(options);
  if (!state) {
    return StartError{std::string(base::TextOf(state.error()))};
  }
  return Sandbox(std::move(*state));
}

std::variant<Sandbox, StartError> Sandbox::FromEnvironment(std::string_view provider_when_unset) {
  auto options = embed::OptionsFromEnvironment(provider_when_unset);
  if (!options) {
    return StartError{std::string(base::TextOf(options.error()))};
  }
  return Open(*options);
}

Sandbox::Sandbox(std::unique_ptr<State> state) : state_(std::move(state)) {}
Sandbox::Sandbox(Sandbox&&) noexcept = default;
Sandbox& Sandbox::operator=(Sandbox&&) noexcept = default;
Sandbox::~Sandbox() = default;

RunOutcome Sandbox::RunJavaScript(std::string_view code, const RunOptions& options) {
  return PublicSnippet(state_->Run(run::JavaScript{std::string(code), ""}, options));
}

ProjectOutcome Sandbox::RunProject(Project project, const RunOptions& options) {
  return PublicProject(state_->Run(PayloadOf(std::move(project)), options));
}

std::string_view Sandbox::provider() const { return state_->provider().Offer().provider; }
std::string_view Sandbox::isolation() const { return isolation::Name(state_->provider().Tier()); }

std::string_view Sandbox::environment() const { return IdentityOf(state_->provider().Offer().javascript); }
std::chrono::milliseconds Sandbox::max_timeout() const { return CeilingOf(state_->provider().Offer().javascript); }

std::string_view Sandbox::project_environment() const { return IdentityOf(state_->provider().Offer().project); }
std::chrono::milliseconds Sandbox::project_max_timeout() const { return CeilingOf(state_->provider().Offer().project); }

std::optional<ProbeReport> Sandbox::probes() const {
  const auto report = state_->provider().Probes();
  return report ? std::optional(PublicProbes(*report)) : std::nullopt;
}

}  // namespace plimsoll
