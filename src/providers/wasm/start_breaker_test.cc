#include "providers/wasm/start_breaker.h"

#include <gtest/gtest.h>

#include <chrono>

namespace plimsoll::wasm {
namespace {

using std::chrono::milliseconds;

constexpr base::SteadyTime kNow{std::chrono::hours(1)};

StartBreaker Open(base::SteadyTime now) {
  StartBreaker breaker;
  for (int i = 0; i < StartBreaker::kFailuresToOpen; ++i) {
    EXPECT_FALSE(breaker.is_open());
    breaker.StartFailed(now);
  }
  EXPECT_TRUE(breaker.is_open());
  return breaker;
}

TEST(StartBreaker, WAS8_OpensAfterFailuresInARowAndTriesAgainLater) {
  const StartBreaker breaker = Open(kNow);
  EXPECT_EQ(breaker.next_try(), kNow + StartBreaker::kFirstPause);
}

TEST(StartBreaker, DoublesItsPauseUpToABound) {
  StartBreaker breaker = Open(kNow);
  auto now = breaker.next_try();
  breaker.StartFailed(now);
  EXPECT_EQ(breaker.next_try(), now + 2 * StartBreaker::kFirstPause);
  for (int i = 0; i < 20; ++i) {
    now = breaker.next_try();
    breaker.StartFailed(now);
  }
  EXPECT_EQ(breaker.next_try(), now + StartBreaker::kLongestPause);
}

TEST(StartBreaker, CountsTheStartsUnderWayWhenItOpenedOnce) {
  StartBreaker breaker = Open(kNow);
  breaker.StartFailed(kNow + milliseconds(1));
  EXPECT_EQ(breaker.next_try(), kNow + StartBreaker::kFirstPause);
}

TEST(StartBreaker, ClosesWhenAWorkerComesUpAndOpensAtTheNextFailure) {
  StartBreaker breaker = Open(kNow);
  breaker.StartSucceeded();
  EXPECT_FALSE(breaker.is_open());
  breaker.StartFailed(kNow + milliseconds(600));
  EXPECT_TRUE(breaker.is_open());
}

TEST(StartBreaker, ForgetsEverythingOnceARunHasEnded) {
  StartBreaker breaker = Open(kNow);
  breaker.StartSucceeded();
  breaker.RunEnded();
  breaker.StartFailed(kNow);
  EXPECT_FALSE(breaker.is_open());
}

}  // namespace
}  // namespace plimsoll::wasm
