#include "providers/docker/provider.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "providers/docker/plans.h"
#include "providers/docker/reaper.h"
#include "providers/docker/requested_call.h"
#include "providers/docker/run_job.h"

namespace plimsoll::docker {
namespace {

using std::chrono::milliseconds;

constexpr const char* kName = "docker";

isolation::Environment EnvironmentOf(const Times& times) {
  isolation::Environment environment;
  environment.default_timeout = times.default_timeout;
  environment.max_timeout = times.max_timeout;
  return environment;
}

// Ceilings are stated from the beginning, identities and languages once they are proven (providers-local.md 11.1).
isolation::Profile ProfileOf(const Settings& settings) {
  isolation::Profile profile;
  profile.provider = kName;
  profile.javascript = EnvironmentOf(kSnippetTimes);
  profile.project = EnvironmentOf(kProjectTimes);
  profile.resources = {
      .memory_mb = settings.memory_mb, .cpus = settings.cpus, .pids = settings.pids, .disk_mb = settings.disk_mb};
  return profile;
}

void StateImage(std::optional<isolation::Environment>& environment, const State& state, Role role) {
  if (const auto image = state.images.find(role); image != state.images.end() && environment) {
    environment->identity = image->second.identity;
    environment->software_identity = image->second.software_identity;
    environment->languages = image->second.languages;
  }
}

// What a provider without a daemon has to refuse by itself, in the order of providers-local.md 1.3.
std::optional<base::Refusal> RefuseBeforeStart(const run::Request& request, const isolation::Profile& offer,
                                               isolation::StatedTier tier) {
  if (auto refusal = isolation::RefuseBelow(request.floor(), tier)) {
    return refusal;
  }
  const bool snippet = request.kind() == run::Kind::kJavaScript;
  const bool project = request.kind() == run::Kind::kProject;
  const auto& environment = snippet ? offer.javascript : offer.project;
  const std::string identity = (snippet || project) && environment ? environment->software_identity : std::string();
  if (!request.any_software() && !request.AllowsSoftware(identity)) {
    return base::Refusal{base::Rule::kSoftwareMismatch,
                         "the software identity of this kind of run is not one that the request allows"};
  }
  return RefuseKindOrGrant(request);
}

RunPool::Options PoolFor(const Settings& settings) {
  RunPool::Options options;
  options.book.members = static_cast<std::size_t>(std::max(0, settings.run_pool));
  if (settings.total_memory_mb > 0) {
    options.book.shares = settings.total_memory_mb / std::max(1U, settings.memory_mb);
  }
  return options;
}

std::size_t MostRuns(const Settings& settings) {
  return static_cast<std::size_t>(std::max(1, settings.max_concurrent));
}

bool HasSessions(const Settings& settings) { return settings.sessions == Settings::Sessions::kOn; }

}  // namespace

base::Result<std::unique_ptr<Provider>> Provider::Create(Settings settings, const base::Clock& clock,
                                                         base::Random& random, base::LogSink& log) {
  if (settings.agent_program.empty() || settings.agent_program.front() != '/' ||
      settings.agent_program.find(':') != std::string::npos) {
    return base::Fault{base::FaultKind::kUnavailable,
                       "the agent program must be an absolute path without a colon, so that it can be mounted: " +
                           settings.agent_program};
  }
  const Parts parts{
      .preflight = [&](const Settings& own) { return docker::Preflight::Create(own, clock, log); },
      .launcher = [&](const Settings& own,
                      Leases& leases) { return Launcher::Create(own, clock, random, log, leases); },
      .smoke =
          [&](std::shared_ptr<const State> state, const Settings& own, Launcher& launcher, base::SteadyTime deadline) {
            return RunSmokeTest(std::move(state), own, launcher, clock, random, log, deadline);
          }};
  return CreateFrom(std::move(settings), parts, clock, log);
}

std::unique_ptr<Provider> Provider::CreateFrom(Settings settings, const Parts& parts, const base::Clock& clock,
                                               base::LogSink& log) {
  return std::unique_ptr<Provider>(new Provider(std::move(settings), parts, clock, log));
}

Provider::Provider(Settings settings, const Parts& parts, const base::Clock& clock, base::LogSink& log)
    : settings_(std::move(settings)),
      clock_(clock),
      log_(log),
      smoke_(parts.smoke),
      profile_(ProfileOf(settings_)),
      preflight_(parts.preflight(settings_)),
      launcher_(parts.launcher(settings_, leases_)),
      pool_(std::make_unique<RunPool>(PoolFor(settings_), *launcher_, clock_, log_)),
      shop_(Workshop{.preflight = *preflight_,
                     .launcher = *launcher_,
                     .pool = *pool_,
                     .clock = clock_,
                     .log = log_,
                     .enter = [this](const http::Bounds& bounds) { return Enter(bounds); }}),
      removers_(std::make_unique<WorkThreads>("docker-cleanup", MostRuns(settings_))),
      workers_(std::make_unique<WorkThreads>("docker-run", MostRuns(settings_))),
      kept_shop_(KeptShop{.shop = shop_,
                          .removers = *removers_,
                          .disk_budget = std::uint64_t{settings_.session_disk_mb} << 20U,
                          .shutdown = stopping_.get_token()}),
      keepers_(HasSessions(settings_) ? std::make_unique<WorkThreads>("docker-kept", MostRuns(settings_)) : nullptr) {}

Provider::~Provider() {
  desk_.Lock()->draining = true;
  stopping_.request_stop();
  workers_.reset();
  keepers_.reset();
  removers_.reset();
  // Each of them uses what is going now.
  PLIMSOLL_CHECK(desk_.Lock()->kept == 0);
  pool_.reset();
}

base::Status Provider::Preflight(base::SteadyTime deadline) {
  auto state = preflight_->Check(deadline);
  if (!state) {
    return std::move(state).error();
  }
  if (desk_.Lock()->proven) {
    pool_->SetGround(std::move(*state));
  }
  return base::Ok();
}

base::Status Provider::SmokeTest(base::SteadyTime deadline) {
  auto state = preflight_->Check(deadline);
  if (!state) {
    return std::move(state).error();
  }
  SmokeOutcome outcome = smoke_(std::move(*state), settings_, *launcher_, deadline);
  desk_.Lock()->last_battery = outcome.report;
  if (!outcome.status) {
    return outcome.status;
  }
  PLIMSOLL_CHECK(outcome.proven != nullptr);
  preflight_->Prove(*outcome.proven);
  StateImage(profile_.javascript, *outcome.proven, Role::kSnippet);
  StateImage(profile_.project, *outcome.proven, Role::kProject);
  if (HasSessions(settings_) && outcome.proven->images.contains(Role::kProject)) {
    profile_.session = EnvironmentOf(kProjectTimes);
    StateImage(profile_.session, *outcome.proven, Role::kProject);
    profile_.session->languages.clear();  // no interpreter is kept
  }
  {
    auto desk = desk_.Lock();
    desk->probes = std::move(outcome.report);
    desk->proven = true;
  }
  pool_->SetGround(std::move(outcome.proven));
  return base::Ok();
}

base::Result<std::size_t> Provider::ReapOrphans(base::SteadyTime deadline) {
  const auto state = preflight_->Last();
  if (state == nullptr) {
    return std::size_t{0};  // no engine is known yet
  }
  auto containers = Reap(*state->engine, leases_, clock_.Wall(), {.deadline = deadline}, log_);
  if (!containers) {
    return containers;
  }
  auto directories = ReapHostDirectories(HostDirRoot(), clock_.Wall());
  if (!directories) {
    return directories;
  }
  return *containers + *directories;
}

std::optional<base::Refusal> Provider::Admit() {
  auto desk = desk_.Lock();
  if (!desk->proven) {
    return base::Refusal{base::Rule::kNotProven, "no smoke test of the docker provider has passed yet"};
  }
  if (desk->draining) {
    return base::Refusal{base::Rule::kUnavailable, "the docker provider is shutting down"};
  }
  if (desk->unanswered >= MostRuns(settings_)) {
    return base::Refusal{
        base::Rule::kAtCapacity,
        std::to_string(desk->unanswered) + " runs are under way, which is the most at once; ask again later"};
  }
  ++desk->unanswered;
  ++desk->in_flight;
  return std::nullopt;
}

// As many sandboxes as runs at most. A run waits for one that is being removed on its own time: an engine that hangs
// over a removal costs no other run more than that.
base::Result<base::Cleanup> Provider::Enter(const http::Bounds& bounds) {
  auto desk = desk_.Lock();
  const bool may = changed_.wait_until(desk.lock(), bounds.stop, bounds.deadline,
                                       [&] { return desk->sandboxes < MostRuns(settings_); });
  if (bounds.stop.stop_requested()) {
    return base::Refusal{base::Rule::kCanceled, "the caller left before its code was started"};
  }
  if (!may || clock_.Steady() >= bounds.deadline) {
    return base::Refusal{base::Rule::kAtCapacity, "the run's time was over before a sandbox was free; ask again later"};
  }
  ++desk->sandboxes;
  return Counted(&Desk::sandboxes);
}

base::Cleanup Provider::Counted(std::size_t Desk::* count) {
  return base::Cleanup([this, count] {
    auto desk = desk_.Lock();
    --((*desk).*count);
    changed_.notify_all();
  });
}

void Provider::Run(provider::Order order, provider::RunDone done) {
  auto refusal = RefuseBeforeStart(order.request, profile_, Tier());
  if (!refusal) {
    refusal = Admit();
  }
  if (refusal) {
    done(std::move(*refusal));
    return;
  }
  const auto deadline = clock_.Steady() + BudgetOf(order.request);
  const Times& times = TimesOf(order.request.kind());
  auto job = std::make_unique<RunJob>(
      shop_, std::move(order), std::move(done), deadline, times,
      RunJob::Counted{.unanswered = Counted(&Desk::unanswered), .in_flight = Counted(&Desk::in_flight)});
  workers_->Submit([this, job = std::move(job)]() mutable {
    job->Work(stopping_.get_token());
    removers_->Submit([job = std::move(job)] { job->CleanUp(); });
  });
}

std::optional<base::Refusal> Provider::AdmitKept() {
  auto desk = desk_.Lock();
  if (!desk->proven) {
    return base::Refusal{base::Rule::kNotProven, "no smoke test of the docker provider has passed yet"};
  }
  if (!profile_.session) {
    return base::Refusal{base::Rule::kUnsupported, "this provider keeps no sandbox between calls"};
  }
  if (desk->draining) {
    return base::Refusal{base::Rule::kUnavailable, "the docker provider is shutting down"};
  }
  if (desk->kept >= MostRuns(settings_)) {
    return base::Refusal{
        base::Rule::kAtCapacity,
        std::to_string(desk->kept) + " sandboxes are kept, which is the most at once; ask again later"};
  }
  ++desk->kept;
  return std::nullopt;
}

void Provider::Open(provider::OpenOrder order, provider::OpenDone done) {
  auto refusal = AdmitKept();
  if (refusal) {
    return done(std::move(*refusal));
  }
  auto strand = std::make_shared<Strand>(*keepers_);
  auto job = std::make_unique<OpenJob>(kept_shop_, std::move(order), std::move(done), Counted(&Desk::kept));
  strand->Post([strand, job = std::move(job)] { job->Work(strand); });
}

base::Status Provider::Drain(base::SteadyTime deadline) {
  pool_->Close();
  auto desk = desk_.Lock();
  desk->draining = true;
  const bool over = changed_.wait_until(desk.lock(), deadline, [&] { return desk->in_flight == 0 && desk->kept == 0; });
  desk.lock().unlock();
  if (!pool_->AwaitEmpty(deadline) || !over) {
    return base::Fault{base::FaultKind::kDeadline, "sandboxes are left at the end of the time to drain"};
  }
  return base::Ok();
}

}  // namespace plimsoll::docker
