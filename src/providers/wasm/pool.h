#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "os/poller.h"
#include "providers/wasm/fleet.h"
#include "providers/wasm/ticket.h"
#include "providers/wasm/worker_link.h"

namespace plimsoll::wasm {

// The workers of one provider and the two threads that look after them. The provider thread reads, keeps time, reaps
// and calls back; the starter thread starts workers, so that the millisecond this takes holds up nobody. A run goes to
// an idle worker from the thread that asks for it.
class Pool {
 public:
  struct Options {
    WorkerProgram program;
    FleetOptions fleet;
  };
  // The references must outlive the pool. Starts the threads and the first workers; does not wait for them.
  static base::Result<std::unique_ptr<Pool>> Create(Options options, const base::Clock& clock, base::Random& random,
                                                    base::LogSink& log);
  // Stops every run (Fault kInternal), waits until every worker is reaped, and ends the threads.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  struct Work {
    std::string_view code;  // at most frames::kMaxCode bytes; lives until `done` has returned
    std::string principal;
    base::SteadyTime deadline;
    std::stop_token stop;
  };
  // Starts a run and returns without waiting for its end; about 20 microseconds. May be called from any thread. `done`
  // is called once: on the provider thread, where it must be quick, or, for a run that is refused at once, before Run
  // returns. Refuses kUnavailable (workers do not start, or not within the run's time; shutting down) and kCanceled
  // (the caller left before anything was sent to a worker). Faults: kInternal (worker lost or hostile), kCanceled.
  void Run(Work work, OutcomeDone done);

  // Refuses kUnavailable while workers do not come up.
  base::Status Readiness();
  Census Count();

  // Takes no more runs and waits until those under way have ended and every worker is gone. Fault kDeadline when some
  // are left.
  base::Status Drain(base::SteadyTime deadline);

 private:
  Pool(Options options, std::unique_ptr<os::Poller> poller, const base::Clock& clock, base::Random& random,
       base::LogSink& log);
  void Watch(const std::stop_token& stop);
  void StartWorkers(const std::stop_token& stop);
  void Turn(std::chrono::milliseconds longest);
  void Cancel(std::uint64_t ticket);
  // Passes on what a change made outside the provider thread has left to do. Call with the lock; it is given up.
  void HandOn(base::Guarded<Fleet>::Locked fleet);

  const Options options_;
  const std::unique_ptr<os::Poller> poller_;
  const base::Clock& clock_;
  base::Random& random_;
  base::LogSink& log_;
  std::atomic<std::uint64_t> next_ticket_{1};
  base::Guarded<Fleet> fleet_;
  std::condition_variable_any changed_;  // starts are wanted, or the fleet has become empty
  std::jthread starter_;
  std::jthread watcher_;
};

}  // namespace plimsoll::wasm
