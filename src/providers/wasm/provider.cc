#include "providers/wasm/provider.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "base/check.h"
#include "os/executable.h"
#include "providers/wasm/engine/identity.h"
#include "providers/wasm/self_test.h"
#include "providers/wasm/worker_program.h"

namespace plimsoll::wasm {
namespace {

using std::chrono::milliseconds;

constexpr const char* kName = "wasm";

isolation::Profile ProfileOf(const Options& options) {
  isolation::Environment javascript;
  javascript.identity = kEngineIdentity;
  javascript.default_timeout = Provider::kDefaultTimeout;
  javascript.max_timeout = Provider::kMaxTimeout;
  isolation::Profile profile;
  profile.provider = kName;
  profile.javascript = std::move(javascript);
  profile.resources.memory_mb = MemoryInForce(options.memory_mb);
  return profile;
}

// POOL-6: used ones are at most as many as runs are admitted at once, fresh ones as many as there are cores.
FleetOptions FleetFor(const Options& options) {
  const std::size_t cores = options.cores > 0 ? options.cores : std::max(1U, std::thread::hardware_concurrency());
  return {.fresh_target = cores, .idle_limit = cores + std::max(1U, options.max_concurrent)};
}

// What an embedded provider has to refuse by itself, in the order of providers-local.md 1.3.
std::optional<base::Refusal> RefuseBeforeStart(const run::Request& request) {
  if (auto refusal = isolation::RefuseBelow(request.floor(), isolation::Tier::kProcess)) {
    return refusal;
  }
  if (!request.any_software()) {
    return base::Refusal{base::Rule::kSoftwareMismatch,
                         "the request states a software rule; the wasm provider has no software identity"};
  }
  if (request.kind() != run::Kind::kJavaScript) {
    return base::Refusal{base::Rule::kUnsupported,
                         "the wasm provider runs javascript, not " + std::string(run::Name(request.kind()))};
  }
  if (!request.grant_profile().empty()) {
    return base::Refusal{base::Rule::kUnsupported, "the wasm provider serves no grants"};
  }
  return std::nullopt;
}

milliseconds BudgetOf(const run::Request& request) {
  return request.timeout() == milliseconds(0) ? Provider::kDefaultTimeout
                                              : std::min(request.timeout(), Provider::kMaxTimeout);
}

run::Report ReportOf(RunEnd end) {
  run::Report report;
  report.provider = kName;
  report.tier = isolation::Tier::kProcess;
  report.environment = kEngineIdentity;
  report.duration = std::chrono::duration_cast<milliseconds>(end.duration);
  report.result = std::move(end.result);
  return report;
}

}  // namespace

base::Result<std::unique_ptr<Provider>> Provider::Create(Options options, const base::Clock& clock,
                                                         base::Random& random, base::LogSink& log) {
  if (options.memory_mb != 0 && options.memory_mb < kLeastMemoryMb) {
    return base::Fault{base::FaultKind::kUnavailable, "memory_mb: " + std::to_string(options.memory_mb) + " is below " +
                                                          std::to_string(kLeastMemoryMb) +
                                                          ", the least in which the wasm engine runs"};
  }
  const WorkerProgram program{.path = options.worker_program, .memory_pages = PagesFor(options.memory_mb)};
  auto pool = Pool::Create({.program = program, .fleet = FleetFor(options)}, clock, random, log);
  if (!pool) {
    return pool.error();
  }
  return std::unique_ptr<Provider>(new Provider(std::move(options), std::move(*pool), clock, random, log));
}

Provider::Provider(Options options, std::unique_ptr<Pool> pool, const base::Clock& clock, base::Random& random,
                   base::LogSink& log)
    : options_(std::move(options)),
      profile_(ProfileOf(options_)),
      clock_(clock),
      random_(random),
      log_(log),
      pool_(std::move(pool)) {}

base::Status Provider::Preflight(base::SteadyTime /*deadline*/) {
  if (!os::IsExecutableFile(options_.worker_program)) {
    return base::Fault{base::FaultKind::kUnavailable,
                       "the wasm worker program " + options_.worker_program +
                           " is missing or may not be executed; install it, or set PLIMSOLL_LIBEXEC to its folder"};
  }
  return pool_->Readiness();
}

base::Status Provider::SmokeTest(base::SteadyTime deadline) {
  const auto now = [this] { return std::chrono::floor<milliseconds>(clock_.Wall().time_since_epoch()).count(); };
  isolation::ProbeReport report{.provider = kName,
                                .tier = Tier(),
                                .environment = std::string(kEngineIdentity),
                                .policy = {},
                                .daemon_version = options_.daemon_version,
                                .runtime_version = std::string(kEngineVersion),
                                .started_unix_ms = now(),
                                .probes = {}};
  SelfTest test = TestWorkers({.path = options_.worker_program, .memory_pages = PagesFor(options_.memory_mb)}, deadline,
                              clock_, random_, log_);
  report.probes = std::move(test.probes);
  report.ended_unix_ms = now();
  auto tested = tested_.Lock();
  tested->last = std::make_shared<const isolation::ProbeReport>(std::move(report));
  if (test.status) {
    tested->passed = tested->last;
    PLIMSOLL_CHECK(profile_.javascript.has_value());  // ProfileOf sets it
    profile_.javascript->languages = {"javascript"};
  }
  return std::move(test.status);
}

void Provider::Run(provider::Order order, provider::RunDone done) {
  if (auto refusal = RefuseBeforeStart(order.request)) {
    done(std::move(*refusal));
    return;
  }
  Pool::Work work{.code = order.request.javascript().code,
                  .principal = std::move(order.principal),
                  .deadline = clock_.Steady() + BudgetOf(order.request),
                  .stop = std::move(order.stop)};
  pool_->Run(std::move(work), [done = std::move(done)](Outcome outcome) mutable {
    if (!outcome) {
      done(std::move(outcome).error());
      return;
    }
    done(ReportOf(std::move(*outcome)));
  });
}

}  // namespace plimsoll::wasm
