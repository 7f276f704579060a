// The pool against a worker that has been taken over: whatever it says, the host believes its own clock and caps, ends
// the worker and answers the run once.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "providers/wasm/testing/pool_harness.h"

namespace plimsoll::wasm {
namespace {

using std::chrono::milliseconds;

// A run that must end as a fault of ours, with the worker gone and the next run well.
void ExpectViolation(const std::string& code, const std::string& reason) {
  SCOPED_TRACE(code);
  PoolHarness harness;
  const Outcome outcome = harness.Run(code);
  ASSERT_NE(base::FaultIn(outcome), nullptr);
  EXPECT_EQ(base::FaultIn(outcome)->kind, base::FaultKind::kInternal);
  EXPECT_NE(base::FaultIn(outcome)->detail.find(reason), std::string::npos) << base::FaultIn(outcome)->detail;
  EXPECT_EQ(harness.OutputOf("echo next"), "next");
  EXPECT_EQ(harness.OutputOf("runs"), "1");  // it ran on a worker of its own
  EXPECT_TRUE(Eventually([&] { return harness.log().Contains("broke the protocol"); }));
}

TEST(HostileWorker, POOL4_IsEndedForAnUnknownFrameType) { ExpectViolation("unknown-type", "unknown type 9"); }
TEST(HostileWorker, POOL4_IsEndedForAHugeLength) { ExpectViolation("huge-length", "4294967295"); }
TEST(HostileWorker, POOL4_IsEndedForAnEmptyOutputFrame) { ExpectViolation("empty-output", "body of 0 bytes"); }
TEST(HostileWorker, POOL4_IsEndedForAFrameOnlyTheHostSends) { ExpectViolation("run-frame", "run frame"); }
TEST(HostileWorker, POOL4_IsEndedForASecondReady) { ExpectViolation("second-ready", "second ready"); }
TEST(HostileWorker, POOL4_IsEndedForAnEndThatIsNone) { ExpectViolation("bad-ended", "outside its list"); }
TEST(HostileWorker, POOL4_IsEndedForAnExitCodeThatIsNone) { ExpectViolation("bad-exit-code", "exit code"); }
TEST(HostileWorker, POOL4_IsEndedForReuseAfterATrap) { ExpectViolation("reuse-after-trap", "reuse after a trap"); }
TEST(HostileWorker, POOL5_IsEndedForADeadlineBeforeItsTime) { ExpectViolation("early-deadline", "before its time"); }
TEST(HostileWorker, XB3_IsEndedForFloodingTheHost) { ExpectViolation("flood", "131072 bytes of output"); }

// P22: nobody knows what the guest did, so the answer is a fault and never a result.
void ExpectLoss(const std::string& code) {
  SCOPED_TRACE(code);
  PoolHarness harness;
  const Outcome outcome = harness.Run(code);
  ASSERT_NE(base::FaultIn(outcome), nullptr);
  EXPECT_EQ(base::FaultIn(outcome)->kind, base::FaultKind::kInternal);
  EXPECT_EQ(base::FaultIn(outcome)->detail.find("last words"), std::string::npos);  // no guest text in the log
  EXPECT_EQ(harness.OutputOf("echo next"), "next");
}

TEST(HostileWorker, P22_ThatDiesInARunIsAFaultAndTheNextRunIsWell) { ExpectLoss("die"); }
TEST(HostileWorker, P22_ThatClosesItsStreamInARunIsAFaultAndTheNextRunIsWell) { ExpectLoss("close"); }

// A run that ended well, whatever its worker does afterwards; the worker is not used again.
void ExpectUnharmed(const std::string& code) {
  SCOPED_TRACE(code);
  PoolHarness harness;
  EXPECT_EQ(harness.OutputOf(code), "");
  EXPECT_TRUE(Eventually([&] { return harness.pool().Count().idle_used == 0; }));
  EXPECT_EQ(harness.OutputOf("runs"), "0");
}

TEST(HostileWorker, POOL4_EndingTwiceDoesNotHarmTheRunThatEnded) { ExpectUnharmed("ended-twice"); }
TEST(HostileWorker, POOL4_OutputAfterTheEndDoesNotHarmTheRunThatEnded) { ExpectUnharmed("ended-then-output"); }
TEST(HostileWorker, POOL4_OutputLongAfterTheEndDoesNotHarmTheRunThatEnded) {
  ExpectUnharmed("ended-then-late-output 20");
}
TEST(HostileWorker, POOL4_HalfAFrameAfterTheEndDoesNotHarmTheRunThatEnded) {
  ExpectUnharmed("ended-then-half-a-frame");
}
TEST(HostileWorker, POOL4_DyingAfterTheEndDoesNotHarmTheRunThatEnded) { ExpectUnharmed("ended-then-die"); }

TEST(HostileWorker, POOL3_BytesOfOnePrincipalsWorkerNeverReachAnother) {
  PoolHarness harness;
  for (int i = 0; i < 50; ++i) {
    // The late bytes lie in wait for whoever is served next.
    EXPECT_EQ(harness.OutputOf("ended-then-late-output 0", {.principal = "mallory-" + std::to_string(i)}), "");
    const std::string token = "token-" + std::to_string(i);
    EXPECT_EQ(harness.OutputOf("echo " + token, {.principal = "alice"}), token);
  }
}

TEST(HostileWorker, XA1_ThatNeverEndsIsKilledAtTheDeadlineAndGoneWhenTheAnswerComes) {
  PoolHarness harness;
  const Outcome first = harness.Run("pid");
  ASSERT_TRUE(first);
  const pid_t pid = std::stoi(first->result.stdout_bytes);
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = harness.Run("hang", {.budget = milliseconds(100)});
  const auto took = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->result.timed_out);
  EXPECT_EQ(outcome->result.exit_code, 124);
  EXPECT_EQ(outcome->result.ending, run::Ending::kDeadline);
  EXPECT_EQ(outcome->result.stdout_bytes, "before");  // XA2
  EXPECT_GE(took, milliseconds(100));
  EXPECT_LT(took, milliseconds(1'000));  // the close bound is tested against the real worker
  for (const pid_t child : Children()) {
    EXPECT_NE(child, pid);
  }
}

TEST(HostileWorker, XA2_OutputBeforeTheDeadlineIsKeptWithItsFlagWhenItIsKilled) {
  PoolHarness harness;
  ASSERT_EQ(harness.OutputOf("echo warm"), "warm");
  const Outcome full = harness.Run("hang " + std::string(65536, 'x'), {.budget = milliseconds(200)});
  ASSERT_TRUE(full);
  EXPECT_EQ(full->result.stdout_bytes.size(), 65536U);
  EXPECT_TRUE(full->result.stdout_truncated);  // the worker could not tell any more
  EXPECT_FALSE(full->result.stderr_truncated);
}

TEST(HostileWorker, P10_ThatPollsItsDeadlineTimesOut) {
  PoolHarness harness;
  ASSERT_EQ(harness.OutputOf("echo warm"), "warm");  // the budget is too short to start a worker in
  const Outcome outcome = harness.Run("poll-deadline", {.budget = milliseconds(50)});
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->result.timed_out);
  EXPECT_EQ(outcome->result.exit_code, 124);
  EXPECT_EQ(outcome->result.stdout_bytes, "before");
}

TEST(HostileWorker, POOL5_ThatEndsAfterTheDeadlineHasTimedOutEvenBeforeTheTimerFired) {
  PoolHarness harness;
  ASSERT_EQ(harness.OutputOf("echo warm"), "warm");
  // Its end comes after the deadline and before the kill.
  const Outcome outcome = harness.Run("sleep 60", {.budget = milliseconds(50)});
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->result.timed_out);
  EXPECT_EQ(outcome->result.exit_code, 124);
}

}  // namespace
}  // namespace plimsoll::wasm
