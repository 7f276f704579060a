#include "rpc/deadlines.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <vector>

#include "rpc/decode_slots.h"
#include "rpc/service_for_test.h"

namespace plimsoll::rpc {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(Deadlines, CallsInTheOrderOfTheTimes) {
  const test::TestClock clock;
  std::promise<void> all;
  std::vector<int> order;  // written on the one thread of the deadlines, read after it has said so
  Deadlines deadlines(clock);
  const base::SteadyTime now = clock.Steady();
  const base::Cleanup far = deadlines.At(now + hours(1), [&] { order.push_back(0); });
  const base::Cleanup second = deadlines.At(now + milliseconds(4), [&] {
    order.push_back(2);
    all.set_value();
  });
  const base::Cleanup first = deadlines.At(now + milliseconds(2), [&] { order.push_back(1); });
  all.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(Deadlines, ATimeThatIsPastIsCalledToo) {
  const test::TestClock clock;
  Deadlines deadlines(clock);
  std::promise<void> called;
  const base::Cleanup past = deadlines.At(clock.Steady() - hours(1), [&] { called.set_value(); });
  called.get_future().wait();
}

TEST(Deadlines, AReleasedOneIsNotCalled) {
  const test::TestClock clock;
  Deadlines deadlines(clock);
  bool called = false;
  std::promise<void> later;
  deadlines.At(clock.Steady() + milliseconds(20), [&] { called = true; }).Release();
  const base::Cleanup after = deadlines.At(clock.Steady() + milliseconds(25), [&] { later.set_value(); });
  later.get_future().wait();
  EXPECT_FALSE(called);
}

TEST(Deadlines, ACleanupMayOutliveThem) {
  const test::TestClock clock;
  std::optional<base::Cleanup> left;
  {
    Deadlines deadlines(clock);
    left = deadlines.At(clock.Steady() + hours(1), [] {});
  }
  left->Release();
}

TEST(DecodeSlots, OneCallerHoldsHalfAndAllTogetherTheWhole) {
  DecodeSlots slots(4);
  auto a1 = slots.Take("a");
  auto a2 = slots.Take("a");
  ASSERT_TRUE(a1 && a2);
  EXPECT_FALSE(slots.Take("a"));
  const auto b1 = slots.Take("b");
  const auto c1 = slots.Take("c");
  ASSERT_TRUE(b1 && c1);
  EXPECT_FALSE(slots.Take("d"));
  a1->Release();
  EXPECT_TRUE(slots.Take("d"));
  EXPECT_TRUE(slots.Take("a"));
}

TEST(DecodeSlots, ThereIsAlwaysOneForACaller) {
  DecodeSlots slots(1);
  const auto only = slots.Take("a");
  EXPECT_TRUE(only);
  EXPECT_FALSE(slots.Take("b"));
}

TEST(DecodeSlots, ASlotMayOutliveThem) {
  std::optional<base::Cleanup> held;
  {
    DecodeSlots slots(2);
    held = slots.Take("a");
  }
  held->Release();
}

}  // namespace
}  // namespace plimsoll::rpc
