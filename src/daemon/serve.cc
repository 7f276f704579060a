#include "daemon/serve.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/background.h"
#include "daemon/metrics.h"
#include "daemon/metrics_page.h"
#include "daemon/process.h"
#include "daemon/proof.h"
#include "daemon/readiness.h"
#include "daemon/version.h"
#include "dispatch/dispatcher.h"
#include "http/server.h"
#include "rpc/service.h"
#include "sessions/sessions.h"

namespace plimsoll::daemon {
namespace {

constexpr std::chrono::minutes kDrainLimit{6};
constexpr std::chrono::seconds kStopPoll{1};      // how long a lost listener may go unnoticed by the main thread
constexpr std::chrono::seconds kMetricsTime{10};  // reading a request, and writing an answer
constexpr std::size_t kMetricsConnections = 64;

std::string NameOf(Id id) { return std::string(SettingOf(id).name); }

void LogStartError(const StartError& error, base::LogSink& log) {
  const std::array<base::LogField, 2> fields = {{{"setting", error.setting}, {"error", error.message}}};
  log.Write(base::Severity::kError, "start error", fields);
}

// A daemon that is being started, serves, and is drained.
class Daemon {
 public:
  Daemon(Plan plan, const base::Clock& clock, base::Random& random, base::LogSink& log)
      : plan_(std::move(plan)),
        clock_(clock),
        log_(log),
        dispatcher_({plan_.operator_floor, plan_.quotas}, *plan_.provider, clock, random, log),
        sessions_(plan_.sessions, plan_.operator_floor, *plan_.provider, dispatcher_, random, log),
        readiness_(std::make_unique<Readiness>(*plan_.provider, clock, log)),
        service_({plan_.gate, 2 * plan_.quotas.max_concurrent,
                  [this](base::UniqueFunction<void(bool)> done) { AskReadiness(std::move(done)); }},
                 dispatcher_, sessions_, log),
        metrics_page_([this] { return MetricsText(Snapshot()); }) {}

  // Runs that a drain did not wait for still hold the dispatcher, the sessions and the service, so these go last.
  ~Daemon() {
    rpc_.reset();            // no new request
    metrics_.reset();        // nobody asks the provider for its tier
    background_.reset();     // nor for a preflight
    readiness_.reset();      // same
    sessions_.Stop();        // no session is ended by its own time any more
    plan_.provider.reset();  // stops what still runs and reports it to the dispatcher
  }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Each step with what would stop the start, in the order of daemon.md 3.
  std::optional<StartError> Start() {
    if (auto error = Bind()) {  // 16: a taken port is found before anything is started for it
      return error;
    }
    if (auto error = Prove()) {  // 17: nothing is answered from a wall that was not tested
      return error;
    }
    if (auto error = CompareTier(plan_)) {  // 18: the operator's floor is judged on the proved tier
      return error;
    }
    WarnOfSharedKernel();                   // 19: with the tier known
    if (auto error = ProveKeptSession()) {  // 20: a session is offered when one was kept
      return error;
    }
    if (auto error = JudgeHardened(plan_)) {  // 21: H1 needs the proof; the other rules may not have changed since
      return error;
    }
    background_.emplace(*plan_.provider, plan_.provider->Tier(), clock_, log_);  // 22
    background_->Start();
    LogListening();
    if (metrics_) {
      metrics_->Serve();
    }
    rpc_->Serve();
    return std::nullopt;
  }

  // A listener failed while serving: nobody can reach the daemon any more.
  bool listener_lost() const { return listener_lost_; }

  // True when everything ended in time.
  bool Drain() {
    const auto deadline = clock_.Steady() + kDrainLimit;
    readiness_->Stop();
    const bool answered = rpc_->Drain(kDrainLimit);
    const base::Status closed = sessions_.Drain(deadline);
    const base::Status emptied = plan_.provider->Drain(deadline);
    if (answered && closed && emptied) {
      return true;
    }
    std::string_view left = "requests were still open";
    for (const base::Status* status : {&closed, &emptied}) {
      left = *status ? left : base::TextOf(status->error());
    }
    const std::array<base::LogField, 1> fields = {{{"error", left}}};
    log_.Write(base::Severity::kError, "drain over budget", fields);
    return false;
  }

 private:
  std::optional<StartError> Bind() {
    http::ServerOptions options = OptionsAt(plan_.posture.rpc);
    options.threads = std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
    if (const auto descriptors = RaiseDescriptorLimit()) {
      max_connections_ = std::max<std::size_t>(1, *descriptors / 2);
    }
    options.max_connections = max_connections_;
    if (auto error = BindOne(Id::kAddr, std::move(options), service_, rpc_)) {
      return error;
    }
    if (!plan_.posture.metrics) {
      return std::nullopt;
    }
    options = OptionsAt(*plan_.posture.metrics);
    options.max_connections = kMetricsConnections;
    options.limits.request_time = kMetricsTime;
    options.limits.answer_time = kMetricsTime;
    return BindOne(Id::kMetricsAddr, std::move(options), metrics_page_, metrics_);
  }

  http::ServerOptions OptionsAt(const Address& address) const {
    http::ServerOptions options;
    options.host = address.host;
    options.port = address.port;
    if (plan_.tls) {
      options.tls = http::TlsPair{plan_.tls->certificate, plan_.tls->key};
    }
    return options;
  }

  std::optional<StartError> BindOne(Id id, http::ServerOptions options, http::Handler& handler,
                                    std::unique_ptr<http::Server>& server) {
    options.listener_lost = [this, name = NameOf(id)](const base::Fault& fault) {
      const std::array<base::LogField, 2> fields = {{{"setting", name}, {"error", fault.detail}}};
      log_.Write(base::Severity::kError, "listener lost", fields);
      listener_lost_ = true;
    };
    auto bound = http::Server::Bind(std::move(options), handler);
    if (!bound) {
      return StartError{NameOf(id), std::string(base::TextOf(bound.error()))};
    }
    server = std::move(*bound);
    return std::nullopt;
  }

  std::optional<StartError> Prove() {
    const StopSignalsEnd stoppable;  // START-2
    return ProveProvider(plan_, clock_, Depth::kSmokeTest);
  }

  std::optional<StartError> ProveKeptSession() {
    const StopSignalsEnd stoppable;  // START-2
    return ProveSessions(plan_, clock_);
  }

  void WarnOfSharedKernel() {
    const auto kernel = isolation::Floor::At(isolation::Tier::kKernel);
    if (plan_.posture.facts.name != kDocker || kernel.MetBy(plan_.posture.proved)) {
      return;
    }
    const std::string setting = NameOf(Id::kDockerRuntime);
    const std::array<base::LogField, 2> fields = {
        {{"setting", setting}, {"isolation", isolation::Name(plan_.posture.proved)}}};
    log_.Write(base::Severity::kWarn, "guests share this host's kernel; runsc gives each its own", fields);
  }

  void AskReadiness(base::UniqueFunction<void(bool)> done) {
    readiness_->Ask([done = std::move(done)](Ready ready) mutable { done(ready == Ready::kYes); });
  }

  MetricsSnapshot Snapshot() {
    const dispatch::Totals totals = dispatcher_.totals();
    MetricsSnapshot snapshot{.version = std::string(Version()),
                             .provider = std::string(plan_.posture.facts.name),
                             .tier = plan_.provider->Tier(),
                             .runs = totals.dispatched,
                             .runs_failed = totals.faults,
                             .in_flight = static_cast<std::uint64_t>(totals.in_flight),
                             .shed = {{"at_capacity", totals.shed_at_capacity},
                                      {"per_key", totals.shed_per_key},
                                      {"rate", totals.shed_rate}},
                             .refusals = {},
                             .auth_failures = service_.refused_credentials(),
                             .orphans_reaped = background_ ? background_->orphans_reaped() : 0,
                             .sessions = {}};
    if (sessions_.on()) {
      const auto [awake, suspended] = sessions_.Count();
      snapshot.sessions = {{"awake", awake}, {"suspended", suspended}};
    }
    for (std::size_t i = 0; i < totals.refusals_by_reason.size(); ++i) {
      snapshot.refusals.emplace(base::Name(static_cast<base::Reason>(i)), totals.refusals_by_reason[i]);
    }
    return snapshot;
  }

  static std::string AddressOf(Address address, const http::Server& server) {
    address.port = server.port();
    return AddressText(address);
  }

  // The limits of one run that hold, whether they were set or are the provider's own.
  isolation::Resources EnvelopeInForce() const {
    isolation::Resources out = plan_.provider_settings.envelope;
    const isolation::Resources& unset = plan_.posture.facts.when_unset;
    out.memory_mb = out.memory_mb > 0 ? out.memory_mb : unset.memory_mb;
    out.cpus = out.cpus > 0 ? out.cpus : unset.cpus;
    out.pids = out.pids > 0 ? out.pids : unset.pids;
    out.disk_mb = out.disk_mb > 0 ? out.disk_mb : unset.disk_mb;
    return out;
  }

  void LogListening() {
    const isolation::Resources envelope = EnvelopeInForce();
    const admission::Quotas& quotas = plan_.quotas;
    const std::string addr = AddressOf(plan_.posture.rpc, *rpc_);
    const std::string metrics =
        metrics_ && plan_.posture.metrics ? AddressOf(*plan_.posture.metrics, *metrics_) : "off";
    const std::vector<base::LogField> fields = {
        {"addr", addr},
        {"provider", plan_.posture.facts.name},
        {"isolation", isolation::Name(plan_.posture.proved)},
        {"auth", Name(plan_.posture.auth)},
        {"max_concurrent", std::int64_t{quotas.max_concurrent}},
        {"per_key_concurrent", std::int64_t{quotas.per_caller_concurrent}},
        {"rate_per_min", std::int64_t{quotas.rate_per_minute}},
        {"rate_burst", std::int64_t{quotas.rate_burst}},
        {"run_pool", std::int64_t{plan_.provider_settings.docker.run_pool}},
        {"memory_mb", std::uint64_t{envelope.memory_mb}},
        {"cpus", envelope.cpus},
        {"pids", std::uint64_t{envelope.pids}},
        {"disk_mb", std::uint64_t{envelope.disk_mb}},
        {"tls", plan_.tls.has_value()},
        {"hardened", plan_.hardened},
        {"metrics_addr", metrics},
        {"guard_addr", "off"},
        {"max_connections", std::uint64_t{max_connections_}},
    };
    log_.Write(base::Severity::kInfo, "plimsolld listening", fields);
  }

  Plan plan_;
  const base::Clock& clock_;
  base::LogSink& log_;
  std::size_t max_connections_ = 0;
  std::atomic<bool> listener_lost_{false};
  dispatch::Dispatcher dispatcher_;
  sessions::Sessions sessions_;
  std::unique_ptr<Readiness> readiness_;
  rpc::Service service_;
  MetricsPage metrics_page_;
  std::optional<Background> background_;
  std::unique_ptr<http::Server> rpc_;
  std::unique_ptr<http::Server> metrics_;  // outlives the drain, so that a scraper can watch it
};

}  // namespace

bool Announce(const Plan& plan, base::LogSink& log) {
  for (const Notice& notice : plan.notices) {
    std::vector<base::LogField> fields = {{"setting", notice.setting}};
    if (!notice.detail.empty()) {
      fields.push_back({"detail", notice.detail});
    }
    log.Write(base::Severity::kWarn, notice.message, fields);
  }
  if (plan.errors.empty()) {
    return true;
  }
  LogStartError(plan.errors.front(), log);
  return false;
}

int Serve(Plan plan, const base::Clock& clock, base::Random& random, base::LogSink& log) {
  Daemon daemon(std::move(plan), clock, random, log);
  if (const auto error = daemon.Start()) {
    LogStartError(*error, log);
    return 1;
  }
  while (!WaitForStop(kStopPoll) && !daemon.listener_lost()) {
  }
  LetStopSignalsEnd();
  log.Write(base::Severity::kInfo, "plimsolld draining", {});
  daemon.Drain();
  log.Write(base::Severity::kInfo, "plimsolld stopped", {});
  return daemon.listener_lost() ? 1 : 0;
}

}  // namespace plimsoll::daemon
