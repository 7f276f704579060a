#include "admission/ledger.h"

#include <gtest/gtest.h>

#include <chrono>

namespace plimsoll::admission {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

constexpr base::SteadyTime kStart{1h};

bool Admits(Ledger& ledger, std::string_view who, base::SteadyTime at) { return ledger.Admit(who, at).has_value(); }

TEST(Ledger, D33_RefusesPastTheGlobalCap) {
  Ledger ledger({.max_concurrent = 1, .per_caller_concurrent = 0, .rate_per_minute = 0, .rate_burst = 0});
  EXPECT_TRUE(Admits(ledger, "a", kStart));
  EXPECT_FALSE(Admits(ledger, "b", kStart));
  EXPECT_EQ(ledger.shed(Shed::kAtCapacity), 1U);
  ledger.Release("a");
  EXPECT_TRUE(Admits(ledger, "b", kStart));
}

TEST(Ledger, D34_OneCallerCannotTakeEverySlot) {
  Ledger ledger({.max_concurrent = 4, .per_caller_concurrent = 2, .rate_per_minute = 0, .rate_burst = 0});
  EXPECT_TRUE(Admits(ledger, "a", kStart));
  EXPECT_TRUE(Admits(ledger, "a", kStart));
  EXPECT_FALSE(Admits(ledger, "a", kStart));
  EXPECT_EQ(ledger.shed(Shed::kPerKey), 1U);
  EXPECT_TRUE(Admits(ledger, "b", kStart));
}

TEST(Ledger, D35_RefillsTheBucketContinuously) {
  Ledger ledger({.max_concurrent = 100, .per_caller_concurrent = 0, .rate_per_minute = 30, .rate_burst = 5});
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(Admits(ledger, "a", kStart));
  }
  const auto sixth = ledger.Admit("a", kStart);
  ASSERT_NE(base::RefusalIn(sixth), nullptr);
  EXPECT_EQ(base::RefusalIn(sixth)->retry_after, 2s);
  EXPECT_FALSE(Admits(ledger, "a", kStart + 1999ms));
  EXPECT_TRUE(Admits(ledger, "a", kStart + 2s));
  EXPECT_FALSE(Admits(ledger, "a", kStart + 2s));
}

TEST(Ledger, D35_AnIdleCallerNeverExceedsTheBurst) {
  Ledger ledger({.max_concurrent = 100, .per_caller_concurrent = 0, .rate_per_minute = 30, .rate_burst = 5});
  EXPECT_TRUE(Admits(ledger, "a", kStart));
  ledger.Release("a");
  int admitted = 0;
  while (Admits(ledger, "a", kStart + 10h)) {
    ++admitted;
  }
  EXPECT_EQ(admitted, 5);
}

// ADM-3: the sweep that drops idle callers must not hand out tokens.
TEST(Ledger, ForgetsACallerOnlyWhenItsBucketIsFullAgain) {
  Ledger ledger({.max_concurrent = 100, .per_caller_concurrent = 0, .rate_per_minute = 1, .rate_burst = 10});
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(Admits(ledger, "a", kStart));
    ledger.Release("a");
  }
  EXPECT_TRUE(Admits(ledger, "b", kStart + 3min));  // sweeps
  int admitted = 0;
  while (Admits(ledger, "a", kStart + 3min)) {
    ++admitted;
  }
  EXPECT_EQ(admitted, 3);
}

// ADM-2
TEST(Ledger, ARateRefusalTakesNoSlot) {
  Ledger ledger({.max_concurrent = 2, .per_caller_concurrent = 2, .rate_per_minute = 60, .rate_burst = 1});
  EXPECT_TRUE(Admits(ledger, "a", kStart));
  EXPECT_FALSE(Admits(ledger, "a", kStart));
  EXPECT_EQ(ledger.in_flight(), 1);
}

TEST(Ledger, ARefusalForLackOfASlotSpendsNoToken) {
  Ledger ledger({.max_concurrent = 1, .per_caller_concurrent = 0, .rate_per_minute = 60, .rate_burst = 2});
  EXPECT_TRUE(Admits(ledger, "a", kStart));
  EXPECT_FALSE(Admits(ledger, "a", kStart));
  ledger.Release("a");
  EXPECT_TRUE(Admits(ledger, "a", kStart));
}

TEST(Ledger, ATimeThatStepsBackGivesNothing) {
  Ledger ledger({.max_concurrent = 9, .per_caller_concurrent = 0, .rate_per_minute = 60, .rate_burst = 1});
  EXPECT_TRUE(Admits(ledger, "a", kStart));
  EXPECT_FALSE(Admits(ledger, "a", kStart - 10s));
  EXPECT_FALSE(Admits(ledger, "a", kStart));
}

TEST(Ledger, ATokenAloneTakesNoSlot) {
  Ledger ledger({.max_concurrent = 1, .per_caller_concurrent = 1, .rate_per_minute = 30, .rate_burst = 2});
  EXPECT_TRUE(ledger.TakeToken("a", kStart));
  EXPECT_EQ(ledger.in_flight(), 0);
  EXPECT_TRUE(Admits(ledger, "a", kStart));
  const auto third = ledger.TakeToken("a", kStart);
  ASSERT_NE(base::RefusalIn(third), nullptr);
  EXPECT_EQ(base::RefusalIn(third)->retry_after, 2s);
  EXPECT_EQ(ledger.shed(Shed::kRate), 1U);
  EXPECT_TRUE(Ledger({.rate_per_minute = 0}).TakeToken("a", kStart));
}

}  // namespace
}  // namespace plimsoll::admission
