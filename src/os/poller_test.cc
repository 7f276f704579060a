#include "os/poller.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <thread>

#include "os/socket_pair.h"

namespace plimsoll::os {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLong{10'000};

std::unique_ptr<Poller> MustCreate() {
  auto poller = Poller::Create();
  EXPECT_TRUE(poller);
  return std::move(poller).value();
}

TEST(Poller, ReportsAReadableDescriptorUnderItsToken) {
  const auto poller = MustCreate();
  auto pair = MakeSocketPair();
  ASSERT_TRUE(pair);
  ASSERT_TRUE(poller->Watch(pair->ours.get(), 7, Interest::kRead));
  EXPECT_TRUE(poller->Wait(milliseconds(0)).empty());
  ASSERT_EQ(Send(pair->theirs.get(), "x").bytes, 1U);
  for (int again = 0; again < 2; ++again) {  // level-triggered: what was not read is reported again
    const auto events = poller->Wait(kLong);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].token, 7U);
    EXPECT_TRUE(events[0].readable);
    EXPECT_FALSE(events[0].writable);
  }
  poller->Forget(pair->ours.get());
  EXPECT_TRUE(poller->Wait(milliseconds(0)).empty());
}

TEST(Poller, ReportsTheOtherEndsDepartureAsReadable) {
  const auto poller = MustCreate();
  auto pair = MakeSocketPair();
  ASSERT_TRUE(pair);
  ASSERT_TRUE(poller->Watch(pair->ours.get(), 1, Interest::kRead));
  pair->theirs.Close();
  const auto events = poller->Wait(kLong);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_TRUE(events[0].readable);
}

TEST(Poller, ReportsRoomToWriteOnlyWhenAsked) {
  const auto poller = MustCreate();
  auto pair = MakeSocketPair();
  ASSERT_TRUE(pair);
  ASSERT_TRUE(poller->Watch(pair->ours.get(), 1, Interest::kRead));
  EXPECT_TRUE(poller->Wait(milliseconds(0)).empty());
  ASSERT_TRUE(poller->Change(pair->ours.get(), 1, Interest::kReadWrite));
  const auto events = poller->Wait(kLong);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_TRUE(events[0].writable);
}

TEST(Poller, EndsItsWaitAtTheAlarmAndOnlyOnce) {
  const auto poller = MustCreate();
  const auto start = steady_clock::now();
  poller->SetAlarm(start + milliseconds(5));
  EXPECT_TRUE(poller->Wait(kLong).empty());
  const auto waited = steady_clock::now() - start;
  EXPECT_GE(waited, milliseconds(5));
  EXPECT_LT(waited, kLong / 2);
  EXPECT_TRUE(poller->Wait(milliseconds(0)).empty());
}

TEST(Poller, EndsItsWaitAtOnceForAnAlarmInThePast) {
  const auto poller = MustCreate();
  poller->SetAlarm(base::SteadyTime{});
  const auto start = steady_clock::now();
  EXPECT_TRUE(poller->Wait(kLong).empty());
  EXPECT_LT(steady_clock::now() - start, kLong / 2);
}

TEST(Poller, IsWokenFromAnotherThreadEvenBeforeItWaits) {
  const auto poller = MustCreate();
  const std::jthread waker([&] { poller->Wake(); });
  const auto start = steady_clock::now();
  EXPECT_TRUE(poller->Wait(kLong).empty());
  EXPECT_LT(steady_clock::now() - start, kLong / 2);
}

}  // namespace
}  // namespace plimsoll::os
