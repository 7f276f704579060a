#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "provider/provider.h"
#include "providers/wasm/pool.h"

namespace plimsoll::wasm {

struct Options {
  std::string worker_program;        // absolute path, from FindWorker
  std::uint32_t memory_mb = 0;       // limit of one run, kLeastMemoryMb or more; 0: the default of 256 MB
  std::uint32_t max_concurrent = 8;  // runs admitted at once (daemon.md 7.2); bounds the idle workers kept
  std::uint32_t cores = 0;           // idle workers kept that have held nobody's code; 0: one for each core
  std::string daemon_version = {};   // stated in the probe report
};

// Runs JavaScript snippets in worker processes, each holding one QuickJS-in-WebAssembly guest at a time. The tier is
// `process`, always.
class Provider final : public provider::Provider {
 public:
  static constexpr std::chrono::milliseconds kDefaultTimeout{5'000};
  static constexpr std::chrono::milliseconds kMaxTimeout{30'000};

  // The references must outlive the provider. Begins to start workers; does not wait for them. Fault kOverloaded when
  // the machine is out of descriptors, kUnavailable when memory_mb is too small.
  static base::Result<std::unique_ptr<Provider>> Create(Options options, const base::Clock& clock, base::Random& random,
                                                        base::LogSink& log);

  const isolation::Profile& Offer() const override { return profile_; }
  isolation::StatedTier Tier() const override { return isolation::Tier::kProcess; }
  base::Status Preflight(base::SteadyTime deadline) override;
  // Also states the language it has shown to run, so call it before anyone reads Offer().
  base::Status SmokeTest(base::SteadyTime deadline) override;
  std::shared_ptr<const isolation::ProbeReport> Probes() const override { return tested_.Lock()->passed; }
  std::shared_ptr<const isolation::ProbeReport> LastBattery() const override { return tested_.Lock()->last; }
  // Refuses floor, software rule, kind and grant, in this order, before it looks at the workers
  // (providers-local.md 1.3).
  void Run(provider::Order order, provider::RunDone done) override;
  base::Status Drain(base::SteadyTime deadline) override { return pool_->Drain(deadline); }

  // For metrics and tests.
  Census Count() { return pool_->Count(); }

 private:
  Provider(Options options, std::unique_ptr<Pool> pool, const base::Clock& clock, base::Random& random,
           base::LogSink& log);

  const Options options_;
  isolation::Profile profile_;  // constant once SmokeTest has passed
  const base::Clock& clock_;
  base::Random& random_;
  base::LogSink& log_;
  struct Tested {
    std::shared_ptr<const isolation::ProbeReport> last;
    std::shared_ptr<const isolation::ProbeReport> passed;
  };
  mutable base::Guarded<Tested> tested_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace plimsoll::wasm
