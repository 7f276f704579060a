#include "base/deadlines.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <vector>

namespace plimsoll::base {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// Real time for deadlines.
class RealClock final : public Clock {
 public:
  WallTime Wall() const override { return WallTime(std::chrono::seconds(1'700'000'000)); }
  SteadyTime Steady() const override { return std::chrono::steady_clock::now(); }
};

TEST(Deadlines, CallsInTheOrderOfTheTimes) {
  const RealClock clock;
  std::promise<void> all;
  std::vector<int> order;  // written on the one thread of the deadlines, read after it has said so
  Deadlines deadlines(clock);
  const SteadyTime now = clock.Steady();
  const Cleanup far = deadlines.At(now + hours(1), [&] { order.push_back(0); });
  const Cleanup second = deadlines.At(now + milliseconds(4), [&] {
    order.push_back(2);
    all.set_value();
  });
  const Cleanup first = deadlines.At(now + milliseconds(2), [&] { order.push_back(1); });
  all.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(Deadlines, ATimeThatIsPastIsCalledToo) {
  const RealClock clock;
  Deadlines deadlines(clock);
  std::promise<void> called;
  const Cleanup past = deadlines.At(clock.Steady() - hours(1), [&] { called.set_value(); });
  called.get_future().wait();
}

TEST(Deadlines, AReleasedOneIsNotCalled) {
  const RealClock clock;
  Deadlines deadlines(clock);
  bool called = false;
  std::promise<void> later;
  deadlines.At(clock.Steady() + milliseconds(20), [&] { called = true; }).Release();
  const Cleanup after = deadlines.At(clock.Steady() + milliseconds(25), [&] { later.set_value(); });
  later.get_future().wait();
  EXPECT_FALSE(called);
}

TEST(Deadlines, ACleanupMayOutliveThem) {
  const RealClock clock;
  std::optional<Cleanup> left;
  {
    Deadlines deadlines(clock);
    left = deadlines.At(clock.Steady() + hours(1), [] {});
  }
  left->Release();
}

}  // namespace
}  // namespace plimsoll::base
