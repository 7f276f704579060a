#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/clock.h"
#include "base/log.h"
#include "isolation/tier.h"
#include "provider/provider.h"

namespace plimsoll::daemon {

// From the start and every 60 s: when the provider can no longer vouch for the tier proved at start, runs its preflight
// again, so that a repaired host serves again without a restart; then has the provider remove what crashed processes
// left behind. Each action is bounded by 30 s. Never touches a sandbox in use.
class Background {
 public:
  // References must outlive this object. `proved` is the tier at start.
  Background(provider::Provider& provider, isolation::StatedTier proved, const base::Clock& clock, base::LogSink& log);
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  static constexpr std::chrono::seconds kEvery{60};
  static constexpr std::chrono::seconds kActionLimit{30};

  // Begins the turns, on a thread of its own that ends with this object. At most once.
  void Start();
  // One turn, for the thread, and for tests that do not start it.
  void Turn();

  // Sandboxes of crashed processes that were removed, since the start.
  std::uint64_t orphans_reaped() const { return orphans_reaped_; }

 private:
  void RenewProof();
  void ReapOrphans();

  provider::Provider& provider_;
  const isolation::Floor proved_;
  const base::Clock& clock_;
  base::LogSink& log_;
  std::atomic<std::uint64_t> orphans_reaped_ = 0;
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace plimsoll::daemon
