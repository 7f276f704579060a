#include "providers/wasm/pool.h"

#include <gtest/gtest.h>

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "frames/frame.h"
#include "providers/wasm/testing/pool_harness.h"
#include "testkit/temp_folder.h"

namespace plimsoll::wasm {
namespace {

using std::chrono::milliseconds;

pid_t PidOf(PoolHarness& harness, const std::string& principal) {
  return std::stoi(harness.OutputOf("pid", {.principal = principal}));
}

TEST(Pool, AnswersWithWhatTheGuestLeft) {
  PoolHarness harness;
  EXPECT_EQ(harness.OutputOf("echo hello"), "hello");
  const Outcome failed = harness.Run("exit 3");
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->result.exit_code, 3);
  EXPECT_FALSE(failed->result.timed_out);
  EXPECT_EQ(failed->result.ending, run::Ending::kExited);
}

TEST(Pool, GivesATrapItsOwnExitCode) {
  PoolHarness harness;
  const Outcome trapped = harness.Run("trap");
  ASSERT_TRUE(trapped);
  EXPECT_EQ(trapped->result.exit_code, 134);
  EXPECT_EQ(trapped->result.ending, run::Ending::kTrapped);
  EXPECT_EQ(trapped->result.stderr_bytes, "guest aborted: unreachable");
}

TEST(Pool, P16_KeepsExactlyTheCapAndFlagsOneByteMore) {
  PoolHarness harness;
  const Outcome at = harness.Run("fill 65536");
  ASSERT_TRUE(at);
  EXPECT_EQ(at->result.stdout_bytes, std::string(65536, '\xff'));
  EXPECT_EQ(at->result.stderr_bytes, std::string(65536, 'e'));
  EXPECT_FALSE(at->result.stdout_truncated);
  EXPECT_FALSE(at->result.stderr_truncated);
  // XB1: one byte more is cut and flagged, and the run's exit code stays what it was.
  const Outcome over = harness.Run("fill 65537");
  ASSERT_TRUE(over);
  EXPECT_EQ(over->result.stdout_bytes.size(), 65536U);
  EXPECT_TRUE(over->result.stdout_truncated);
  EXPECT_TRUE(over->result.stderr_truncated);
  EXPECT_EQ(over->result.exit_code, 0);
}

TEST(Pool, SendsTheLongestCodeWholeAlthoughItFitsNoSocketBuffer) {
  PoolHarness harness;
  std::string code = "discard ";
  code.resize(frames::kMaxCode, 'x');
  EXPECT_FALSE(harness.OutputOf(code).empty());
  EXPECT_EQ(harness.OutputOf("echo next"), "next");
}

TEST(Pool, TellsTheWorkerWhatIsLeftOfTheBudget) {
  PoolHarness harness;
  ASSERT_EQ(harness.OutputOf("echo warm"), "warm");
  const int left = std::stoi(harness.OutputOf("timeout", {.budget = milliseconds(5'000)}));
  EXPECT_LE(left, 5'000);
  EXPECT_GT(left, 3'000);
}

TEST(Pool, POOL1_UsesAWorkerAgainForTheSamePrincipalAndNeverForAnother) {
  PoolHarness harness;
  const pid_t alice = PidOf(harness, "alice");
  EXPECT_EQ(PidOf(harness, "alice"), alice);
  const pid_t bob = PidOf(harness, "bob");
  EXPECT_NE(bob, alice);
  EXPECT_EQ(PidOf(harness, "alice"), alice);
  EXPECT_EQ(PidOf(harness, "bob"), bob);
  EXPECT_NE(PidOf(harness, ""), alice);  // the caller of a daemon without callers is one like any other
}

TEST(Pool, ThrowsAWorkerAwayThatAsksForIt) {
  PoolHarness harness;
  const pid_t first = std::stoi(harness.OutputOf("discard"));
  EXPECT_NE(PidOf(harness, "alice"), first);
}

TEST(Pool, ThrowsAWorkerAwayAfterItsShareOfRuns) {
  PoolHarness harness(FakeWorker(), {.fresh_target = 1, .idle_limit = 4, .runs_per_worker = 3});
  std::set<pid_t> pids;
  for (int i = 0; i < 9; ++i) {
    pids.insert(PidOf(harness, "alice"));
  }
  EXPECT_EQ(pids.size(), 3U);
}

TEST(Pool, POOL2_GivesEveryRunAWorkerOfItsOwnAtOnce) {
  PoolHarness harness;
  std::vector<std::future<Outcome>> runs;
  for (int i = 0; i < 12; ++i) {
    runs.push_back(harness.Start("hang", {.budget = milliseconds(2'000)}));
  }
  EXPECT_TRUE(Eventually([&] { return harness.pool().Count().running == 12; }));
  harness.Close();
  for (auto& run : runs) {
    EXPECT_NE(base::FaultIn(run.get()), nullptr);
  }
}

TEST(Pool, StartsNoWorkerWhileOnePrincipalKeepsItsPaceSteady) {
  PoolHarness harness;
  ASSERT_EQ(harness.OutputOf("echo warm"), "warm");
  ASSERT_TRUE(Eventually([&] { return harness.pool().Count().idle_fresh == 1; }));
  const auto started = harness.pool().Count().started;
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(harness.OutputOf("echo x"), "x");
  }
  EXPECT_EQ(harness.pool().Count().started, started);
}

TEST(Pool, POOL6_KeepsAtMostTheLimitOfIdleWorkersWhoeverCame) {
  PoolHarness harness(FakeWorker(), {.fresh_target = 1, .idle_limit = 3});
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(harness.OutputOf("echo x", {.principal = "caller-" + std::to_string(i)}), "x");
    const Census census = harness.pool().Count();
    EXPECT_LE(census.idle_fresh + census.idle_used, 3U);
  }
  EXPECT_TRUE(Eventually([&] { return Children().size() <= 3; }));
}

TEST(Pool, POOL7_TakesAnotherWorkerWhenTheIdleOneIsGone) {
  PoolHarness harness;
  for (int i = 0; i < 20; ++i) {
    const pid_t pid = PidOf(harness, "alice");
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    ASSERT_TRUE(Eventually([pid] { return HasEnded(pid); }));
    // Nothing was handed to the dead one, so nobody is told of it.
    EXPECT_NE(PidOf(harness, "alice"), pid);
  }
}

TEST(Pool, CancelsARunThatIsUnderWayAndEndsItsWorker) {
  PoolHarness harness;
  std::stop_source stop;
  auto run = harness.Start("hang", {.stop = stop.get_token()});
  ASSERT_TRUE(Eventually([&] { return harness.pool().Count().running == 1; }));
  stop.request_stop();
  ASSERT_EQ(run.wait_for(kTestLimit), std::future_status::ready);
  const Outcome outcome = run.get();
  ASSERT_NE(base::FaultIn(outcome), nullptr);
  EXPECT_EQ(base::FaultIn(outcome)->kind, base::FaultKind::kCanceled);
  EXPECT_EQ(harness.pool().Count().running, 0U);
  EXPECT_EQ(harness.OutputOf("echo next"), "next");
}

TEST(Pool, RefusesARunWhoseCallerHasLeftAlready) {
  PoolHarness harness;
  std::stop_source stop;
  stop.request_stop();
  const Outcome outcome = harness.Run("echo x", {.stop = stop.get_token()});
  ASSERT_NE(base::RefusalIn(outcome), nullptr);
  EXPECT_EQ(base::RefusalIn(outcome)->rule, base::Rule::kCanceled);
}

TEST(Pool, RefusesAWaitingRunWhoseCallerLeaves) {
  const testkit::TempFolder folder;
  PoolHarness harness(FakeWorkerNamed(folder.path(), "silent-at-start"));
  std::stop_source stop;
  auto run = harness.Start("echo x", {.stop = stop.get_token()});
  EXPECT_EQ(harness.pool().Count().waiting_runs, 1U);
  stop.request_stop();
  ASSERT_EQ(run.wait_for(kTestLimit), std::future_status::ready);
  const Outcome outcome = run.get();
  ASSERT_NE(base::RefusalIn(outcome), nullptr);
  EXPECT_EQ(base::RefusalIn(outcome)->rule, base::Rule::kCanceled);
}

TEST(Pool, RefusesARunForWhichNoWorkerCameUpInItsTime) {
  const testkit::TempFolder folder;
  PoolHarness harness(FakeWorkerNamed(folder.path(), "silent-at-start"));
  const Outcome outcome = harness.Run("echo x", {.budget = milliseconds(50)});
  ASSERT_NE(base::RefusalIn(outcome), nullptr);  // nothing ran, and the caller may ask again
  EXPECT_EQ(base::RefusalIn(outcome)->rule, base::Rule::kUnavailable);
}

// POOL-8: what cannot come up is not started for ever, and says so.
void ExpectBreaker(const std::string& program, FleetOptions fleet = {.fresh_target = 1, .idle_limit = 4}) {
  PoolHarness harness(program, fleet);
  ASSERT_TRUE(Eventually([&] { return !harness.pool().Readiness().has_value(); }));
  const auto readiness = harness.pool().Readiness();
  ASSERT_NE(base::RefusalIn(readiness), nullptr);
  EXPECT_EQ(base::RefusalIn(readiness)->rule, base::Rule::kUnavailable);
  const Outcome outcome = harness.Run("echo x");
  ASSERT_NE(base::RefusalIn(outcome), nullptr);
  EXPECT_EQ(base::RefusalIn(outcome)->rule, base::Rule::kUnavailable);
  EXPECT_TRUE(base::RefusalIn(outcome)->retry_after.has_value());
  EXPECT_LE(harness.pool().Count().started, 2U * StartBreaker::kFailuresToOpen);
  EXPECT_TRUE(Eventually([&] { return harness.log().Contains("do not start"); }));
}

TEST(Pool, POOL8_StopsStartingAProgramThatDiesAtItsStart) {
  const testkit::TempFolder folder;
  ExpectBreaker(FakeWorkerNamed(folder.path(), "dies-at-start"));
}
TEST(Pool, POOL8_StopsStartingAProgramThatDiesOnceItIsReady) {
  const testkit::TempFolder folder;
  ExpectBreaker(FakeWorkerNamed(folder.path(), "dies-when-ready"));
}
TEST(Pool, POOL8_StopsStartingAProgramThatSendsGarbage) {
  const testkit::TempFolder folder;
  ExpectBreaker(FakeWorkerNamed(folder.path(), "garbage-at-start"));
}
TEST(Pool, POOL8_StopsStartingAProgramThatStaysSilent) {
  const testkit::TempFolder folder;
  ExpectBreaker(FakeWorkerNamed(folder.path(), "silent-at-start"),
                {.fresh_target = 1, .idle_limit = 4, .start_limit = milliseconds(10)});
}
TEST(Pool, POOL8_StopsStartingAProgramThatIsNotThere) { ExpectBreaker("/nonexistent/worker"); }

// Puts a shell script in the place of `path` in one step.
void PutScript(const std::string& path, const std::string& command) {
  const std::string fresh = path + ".new";
  std::ofstream(fresh) << "#!/bin/sh\n" << command << '\n';
  std::filesystem::permissions(fresh, std::filesystem::perms::owner_all);
  std::filesystem::rename(fresh, path);
}

TEST(Pool, POOL8_ServesAgainOnceAWorkerComesUp) {
  const testkit::TempFolder folder;
  const std::string program = folder.path() + "/worker";
  PutScript(program, "exit 5");
  PoolHarness harness(program);
  ASSERT_TRUE(Eventually([&] { return !harness.pool().Readiness().has_value(); }));
  EXPECT_TRUE(Eventually([&] { return harness.log().Contains("exit code 5"); }));
  PutScript(program, "exec " + FakeWorker() + " \"$@\"");
  EXPECT_TRUE(Eventually([&] { return harness.pool().Readiness().has_value(); }));
  EXPECT_EQ(harness.OutputOf("echo well"), "well");
}

TEST(Pool, DrainsByLettingRunsEndAndTakingNoMore) {
  PoolHarness harness;
  auto run = harness.Start("sleep 100", {});
  ASSERT_TRUE(Eventually([&] { return harness.pool().Count().running == 1; }));
  EXPECT_TRUE(harness.pool().Drain(harness.clock().Steady() + kTestLimit));
  ASSERT_EQ(run.wait_for(kTestLimit), std::future_status::ready);
  EXPECT_TRUE(run.get());
  EXPECT_TRUE(Children().empty());
  const Outcome late = harness.Run("echo x");
  ASSERT_NE(base::RefusalIn(late), nullptr);
  EXPECT_EQ(base::RefusalIn(late)->rule, base::Rule::kUnavailable);
}

TEST(Pool, SaysSoWhenItCannotDrainInTime) {
  PoolHarness harness;
  auto run = harness.Start("hang", {});
  ASSERT_TRUE(Eventually([&] { return harness.pool().Count().running == 1; }));
  const auto drained = harness.pool().Drain(harness.clock().Steady() + milliseconds(20));
  ASSERT_NE(base::FaultIn(drained), nullptr);
  EXPECT_EQ(base::FaultIn(drained)->kind, base::FaultKind::kDeadline);
  harness.Close();
  EXPECT_NE(base::FaultIn(run.get()), nullptr);
}

TEST(Pool, POOL9_LeavesNoProcessAndNoDescriptorBehind) {
  const std::size_t before = OpenDescriptors();
  {
    PoolHarness harness;
    static_cast<void>(harness.Run("die").has_value());
    static_cast<void>(harness.Run("echo x").has_value());
    static_cast<void>(harness.Run("hang", {.budget = milliseconds(20)}).has_value());
    const auto left_running = harness.Start("hang", {});
    EXPECT_FALSE(Children().empty());
  }
  EXPECT_TRUE(Children().empty());
  EXPECT_EQ(OpenDescriptors(), before);
}

}  // namespace
}  // namespace plimsoll::wasm
