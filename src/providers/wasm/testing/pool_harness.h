#pragma once

#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "os/system_clock.h"
#include "os/system_random.h"
#include "providers/wasm/pool.h"
#include "testkit/capture_log.h"

// What the tests of the pool share. Linked by tests only.
namespace plimsoll::wasm {

// Bounds every wait of a test; only a broken one reaches it.
inline constexpr std::chrono::seconds kTestLimit{30};

// The worker programs of this build.
std::string RealWorker();
std::string FakeWorker();
// The fake worker under another name, which it misbehaves by: `dies-at-start`, `silent-at-start`, ... The link lives in
// `folder`.
std::string FakeWorkerNamed(const std::string& folder, const std::string& name);

// Process ids of this process's children, zombies included.
std::vector<pid_t> Children();
// Whether a process is gone, or a zombie.
bool HasEnded(pid_t pid);
std::size_t OpenDescriptors();

// Asks `holds` every few milliseconds until it is true. False when kTestLimit passes first.
template <typename Predicate>
bool Eventually(Predicate holds) {
  const auto until = std::chrono::steady_clock::now() + kTestLimit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// A pool with the machine's clock and random bytes.
class PoolHarness {
 public:
  explicit PoolHarness(const std::string& program = FakeWorker(),
                       FleetOptions fleet = {.fresh_target = 1, .idle_limit = 4});

  struct Given {
    std::string principal = "alice";
    std::chrono::milliseconds budget{10'000};
    std::stop_token stop = {};
  };
  // Starts a run; the code is kept until its end.
  std::future<Outcome> Start(const std::string& code, const Given& given);
  // Runs and waits.
  Outcome Run(const std::string& code, const Given& given);
  Outcome Run(const std::string& code) { return Run(code, Given{}); }

  // The output of a run that must have ended well.
  std::string OutputOf(const std::string& code, const Given& given);
  std::string OutputOf(const std::string& code) { return OutputOf(code, Given{}); }

  Pool& pool() { return *pool_; }
  testkit::CaptureLog& log() { return log_; }
  const base::Clock& clock() const { return clock_; }
  // Ends the pool.
  void Close() { pool_.reset(); }

 private:
  os::SystemClock clock_;
  os::SystemRandom random_;
  testkit::CaptureLog log_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace plimsoll::wasm
