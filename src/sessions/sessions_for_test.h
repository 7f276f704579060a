#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "dispatch/dispatcher.h"
#include "sessions/sessions.h"
#include "testkit/capture_log.h"
#include "testkit/fake_provider.h"
#include "testkit/fake_random.h"

// Sessions around a provider that a test scripts.
namespace plimsoll::sessions::test {

// Real time, since timers fire by it.
class RealClock final : public base::Clock {
 public:
  base::WallTime Wall() const override {
    return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
  }
  base::SteadyTime Steady() const override { return std::chrono::steady_clock::now(); }
};

// An answer that may still come.
template <typename T>
class Awaited {
 public:
  explicit Awaited(std::future<T> future) : future_(std::move(future)) {}
  bool here() { return future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  // Aborts when there is none within 20 s.
  T Get() {
    PLIMSOLL_CHECK(future_.wait_for(std::chrono::seconds(20)) == std::future_status::ready);
    return future_.get();
  }

 private:
  std::future<T> future_;
};

struct Asking {
  run::SessionOpen open = {};
  isolation::Floor floor = isolation::Floor::Absent();
  std::string principal = "a";
  std::stop_token gone = {};
  std::optional<base::SteadyTime> deadline = {};
};

// What a call says beside its code.
struct Calls {
  std::string principal = "a";
  std::string floor = {};
  run::SoftwareRuleDraft rule = {};
  std::stop_token gone = {};
  std::optional<base::SteadyTime> deadline = {};
};

// Nothing ends or is suspended by itself within a test.
Options Lasting(admission::SessionCaps caps = {.max = 8});
// Slots and tokens enough.
admission::Quotas Ample();

struct Fixture {
  explicit Fixture(Options options = Lasting(), admission::Quotas quotas = Ample(),
                   isolation::Profile profile = testkit::SessionProfile());
  ~Fixture();

  Awaited<base::Result<Opened>> Open(const Asking& asking = {});
  // An open that must succeed.
  Opened MustOpen(const Asking& asking = {}) { return Open(asking).Get().value(); }
  Awaited<Called> Call(const std::string& id, const std::string& code, const Calls& calls = {});
  Awaited<base::Result<Closed>> Close(const std::string& id, const Calls& calls = {});

  testkit::FakeSandbox& sandbox(std::size_t index = 0) { return *provider.Sandboxes().at(index); }
  int slots_taken() const { return dispatcher.totals().in_flight; }

  RealClock clock;
  testkit::FakeRandom random;
  testkit::CaptureLog log;
  testkit::FakeProvider provider;
  dispatch::Dispatcher dispatcher;
  Sessions sessions;
};

// A little later.
base::SteadyTime Soon(std::chrono::milliseconds by = std::chrono::seconds(20));
// Waits until it is so; false after 20 s.
bool Eventually(const std::function<bool()>& is_so);

// The rule of what was refused, or nothing.
template <typename T>
std::optional<base::Rule> RuleOf(const base::Result<T>& result) {
  const base::Refusal* refusal = base::RefusalIn(result);
  return refusal == nullptr ? std::nullopt : std::optional(refusal->rule);
}
std::optional<base::Rule> RuleOf(const Called& called);
std::optional<run::SessionEnd> EndOf(const Called& called);
// The text that a call printed; aborts when it has no result.
std::string PrintedBy(const Called& called);
const records::Record& RecordOf(const Called& called);

}  // namespace plimsoll::sessions::test
