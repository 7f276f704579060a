#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "provider/provider.h"
#include "providers/docker/leases.h"
#include "providers/docker/open_job.h"
#include "providers/docker/preflight.h"
#include "providers/docker/run_job.h"
#include "providers/docker/run_pool.h"
#include "providers/docker/sandbox.h"
#include "providers/docker/settings.h"
#include "providers/docker/smoke.h"
#include "providers/docker/work_threads.h"

namespace plimsoll::docker {

// Runs snippets and projects in containers of a local docker engine, one fresh container a run: tier `container`, or
// `kernel` under a verified runsc. A run is refused until a smoke test has passed.
class Provider final : public provider::Provider {
 public:
  // The references must outlive the provider. Opens nothing and starts no container: Preflight and SmokeTest do. Fault
  // kUnavailable when a path cannot be mounted.
  static base::Result<std::unique_ptr<Provider>> Create(Settings settings, const base::Clock& clock,
                                                        base::Random& random, base::LogSink& log);

  // What a provider stands on, so that tests can stand in for an engine. Each is made for the provider's own settings.
  struct Parts {
    std::function<std::unique_ptr<docker::Preflight>(const Settings&)> preflight;
    std::function<std::unique_ptr<Launcher>(const Settings&, Leases&)> launcher;
    std::function<SmokeOutcome(std::shared_ptr<const State>, const Settings&, Launcher&, base::SteadyTime)> smoke;
  };
  static std::unique_ptr<Provider> CreateFrom(Settings settings, const Parts& parts, const base::Clock& clock,
                                              base::LogSink& log);

  // Stops every run (Fault kInternal) and waits until every sandbox is gone or was given up.
  ~Provider() override;

  const isolation::Profile& Offer() const override { return profile_; }
  isolation::StatedTier Tier() const override { return preflight_->Tier(); }
  base::Status Preflight(base::SteadyTime deadline) override;
  base::Status SmokeTest(base::SteadyTime deadline) override;
  std::shared_ptr<const isolation::ProbeReport> Probes() const override { return desk_.Lock()->probes; }
  std::shared_ptr<const isolation::ProbeReport> LastBattery() const override { return desk_.Lock()->last_battery; }
  base::Result<std::size_t> ReapOrphans(base::SteadyTime deadline) override;
  // Refuses floor, software rule, kind, grant and capacity here, in this order, and the rest on a thread of the run's
  // own (providers-local.md 1.3). At most `max_concurrent` runs are unanswered; one more that is admitted while as many
  // sandboxes are still being removed waits for one of them, on its own budget.
  void Run(provider::Order order, provider::RunDone done) override;
  // Refuses what it can see at once here, and makes the sandbox on a thread of its own. At most `max_concurrent`
  // sandboxes are kept; each counts as the sandbox of a run does, from before it is made until it is gone.
  void Open(provider::OpenOrder order, provider::OpenDone done) override;
  // Does not remove kept sandboxes: who holds them has done that before, and this waits until they are gone. They, and
  // whoever holds them, are gone before the provider is destroyed.
  base::Status Drain(base::SteadyTime deadline) override;

  // For metrics and tests.
  RunPool::Census CountPool() { return pool_->Count(); }

 private:
  Provider(Settings settings, const Parts& parts, const base::Clock& clock, base::LogSink& log);

  struct Desk {
    bool draining = false;
    std::size_t unanswered = 0;  // runs
    std::size_t sandboxes = 0;   // of runs and kept ones, from before they are made until they are gone
    std::size_t in_flight = 0;   // runs, from their admission until their sandbox is gone
    std::size_t kept = 0;        // kept sandboxes, from their admission until they are gone
    std::shared_ptr<const isolation::ProbeReport> probes = {};        // of the last smoke test that passed
    std::shared_ptr<const isolation::ProbeReport> last_battery = {};  // of the last one, also when it failed
    bool proven = false;
  };
  std::optional<base::Refusal> Admit();
  std::optional<base::Refusal> AdmitKept();
  base::Result<base::Cleanup> Enter(const http::Bounds& bounds);
  base::Cleanup Counted(std::size_t Desk::* count);

  const Settings settings_;
  const base::Clock& clock_;
  base::LogSink& log_;
  const decltype(Parts::smoke) smoke_;
  isolation::Profile profile_;  // changes in SmokeTest alone, before any run
  Leases leases_;
  std::unique_ptr<docker::Preflight> preflight_;
  std::unique_ptr<Launcher> launcher_;
  std::stop_source stopping_;
  mutable base::Guarded<Desk> desk_;
  std::condition_variable_any changed_;
  std::unique_ptr<RunPool> pool_;
  const Workshop shop_;
  std::unique_ptr<WorkThreads> removers_;
  std::unique_ptr<WorkThreads> workers_;  // goes before the removers, to which it hands over
  const KeptShop kept_shop_;
  std::unique_ptr<WorkThreads> keepers_;  // for kept sandboxes; null where there are none. Goes before the removers
};

}  // namespace plimsoll::docker
