#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/unique_function.h"
#include "provider/provider.h"

namespace plimsoll::daemon {

enum class Ready { kNo, kYes };
using ReadyDone = base::UniqueFunction<void(Ready)>;

// Answers /readyz by a preflight of the provider, on a thread of its own. A preflight begun after the question answers
// it, and answers all questions that came before it began: polls cannot pile up preflights.
class Readiness {
 public:
  // All must outlive this object.
  Readiness(provider::Provider& provider, const base::Clock& clock, base::LogSink& log);
  // Answers what still waits with kNo and ends the thread.
  ~Readiness();
  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;

  // Returns at once; `done` is called on the readiness thread. With kMaxWaiting questions open, kNo at once.
  void Ask(ReadyDone done);
  // From now on every answer is kNo: the daemon is draining.
  void Stop();

  static constexpr std::size_t kMaxWaiting = 256;
  static constexpr std::chrono::seconds kPreflightLimit{10};
  static constexpr std::chrono::seconds kLogEvery{30};  // the reason for not being ready, at most so often

 private:
  void Work(const std::stop_token& stop);
  Ready Check();

  provider::Provider& provider_;
  const base::Clock& clock_;
  base::LogSink& log_;
  std::mutex mutex_;
  std::condition_variable_any asked_;
  std::vector<ReadyDone> waiting_;  // guarded by mutex_
  bool stopped_ = false;            // guarded by mutex_
  base::SteadyTime logged_{};       // of the readiness thread alone
  bool ever_logged_ = false;        // same
  std::jthread thread_;             // last: it uses all of the above
};

}  // namespace plimsoll::daemon
