#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>

#include "providers/docker/testing/live_test.h"

// Projects at the provider's boundary, on a real engine, under each runtime.
namespace plimsoll::docker {
namespace {

using run::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

class Project : public LiveTest {};
INSTANTIATE_TEST_SUITE_P(Under, Project, UnderBothRuntimes(), NameOfRuntime);

run::Project Steps(std::vector<std::string> steps) {
  run::Project project;
  project.steps = std::move(steps);
  return project;
}

// Of this process, in bytes.
std::size_t ResidentMemory() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

TEST_P(Project, P44_StopsAfterTheFirstStepThatFails) {
  const auto result = live().Project(Steps({"true", "false", "true"}));
  EXPECT_EQ(result.outcome, Outcome::kCompleted);
  EXPECT_EQ(result.outcome_detail, "");
  ASSERT_EQ(result.steps.size(), 2U);
  EXPECT_EQ(result.steps[0].exit_code, 0);
  EXPECT_EQ(result.steps[1].exit_code, 1);
  EXPECT_EQ(result.steps[1].command, "false");
}

TEST_P(Project, P45_TheBudgetIsOneForAllSteps) {
  const auto begin = steady_clock::now();
  const auto result = live().Project(Steps({"sleep 1", "sleep 30", "true"}), seconds(3));
  EXPECT_LT(steady_clock::now() - begin, seconds(5));
  EXPECT_EQ(result.outcome, Outcome::kTimedOut);
  EXPECT_NE(result.outcome_detail.find("step 2"), std::string::npos);
  ASSERT_EQ(result.steps.size(), 2U);
  EXPECT_EQ(result.steps[0].exit_code, 0);
  EXPECT_FALSE(result.steps[0].timed_out);
  EXPECT_EQ(result.steps[1].exit_code, 124);
  EXPECT_TRUE(result.steps[1].timed_out);
}

TEST_P(Project, P46_AStepThatIgnoresSigtermEndsToo) {
  const auto begin = steady_clock::now();
  const auto result = live().Project(
      Steps({"sleep 1", "trap '' TERM INT HUP; echo there; while :; do sleep 1; done", "true"}), seconds(3));
  EXPECT_LT(steady_clock::now() - begin, seconds(5));
  EXPECT_EQ(result.outcome, Outcome::kTimedOut);
  ASSERT_EQ(result.steps.size(), 2U);
  EXPECT_EQ(result.steps[1].exit_code, 124);
  EXPECT_EQ(result.steps[1].stdout_bytes, "there\n");
}

TEST_P(Project, P48_AFileInThePlaceOfAFolderFailsTheSetup) {
  run::Project project = Steps({"true"});
  project.files = {{.path = "a", .content = "x"}, {.path = "a/b", .content = "y"}};
  const auto result = live().Project(std::move(project));
  EXPECT_EQ(result.outcome, Outcome::kSetupFailed);
  EXPECT_TRUE(result.steps.empty());
  EXPECT_NE(result.outcome_detail, "");
}

TEST_P(Project, FilesAreThereWithTheirFolders) {
  run::Project project = Steps({"pwd; cat a/b/c.txt; wc -c big"});
  project.files = {{.path = "a/b/c.txt", .content = "deep\n"}, {.path = "big", .content = std::string(4'000'000, 'b')}};
  const auto result = live().Project(std::move(project));
  ASSERT_EQ(result.steps.size(), 1U);
  EXPECT_EQ(result.steps[0].stdout_bytes, "/work\ndeep\n4000000 big\n");
}

TEST_P(Project, P49_OnlyFilesInsideComeBackInTheOrderAskedFor) {
  run::Project project = Steps(
      {"echo last > last; mkdir folder; mkfifo pipe; ln -s /etc/passwd out; ln -s last in; ln -s /work/last absolute"});
  project.artifacts = {"in", "missing", "folder", "pipe", "out", "last"};
  const auto result = live().Project(std::move(project));
  EXPECT_EQ(result.outcome, Outcome::kCompleted);
  ASSERT_EQ(result.artifacts.size(), 2U);
  EXPECT_EQ(result.artifacts[0].path, "in");
  EXPECT_EQ(result.artifacts[1].path, "last");
  EXPECT_EQ(result.artifacts[1].content, "last\n");
  EXPECT_FALSE(result.artifacts_truncated);
}

TEST_P(Project, ArtifactsComeBackFromAFailedAndFromATimedOutStep) {
  run::Project failed = Steps({"echo kept > a; false"});
  failed.artifacts = {"a"};
  EXPECT_EQ(live().Project(std::move(failed)).artifacts.size(), 1U);
  run::Project late = Steps({"echo kept > a; sleep 30"});
  late.artifacts = {"a"};
  const auto result = live().Project(std::move(late), seconds(2));
  EXPECT_EQ(result.outcome, Outcome::kTimedOut);
  ASSERT_EQ(result.artifacts.size(), 1U);
  EXPECT_EQ(result.artifacts[0].content, "kept\n");
}

TEST_P(Project, P51_WhatDoesNotFitIsLeftOutWhole) {
  run::Project project = Steps({"for i in 1 2 3; do head -c 3145728 /dev/zero > $i; done"});
  project.artifacts = {"1", "2", "3"};
  const auto result = live().Project(std::move(project));
  ASSERT_EQ(result.artifacts.size(), 2U);
  EXPECT_EQ(result.artifacts[0].content.size(), 3'145'728U);
  EXPECT_EQ(result.artifacts[1].content.size(), 3'145'728U);
  EXPECT_TRUE(result.artifacts_truncated);
}

TEST_P(Project, P52_AFloodIsCutFlaggedAndKeepsItsExitCode) {
  for (const char* size : {"2097152", "209715200"}) {
    const std::size_t before = ResidentMemory();
    const auto result =
        live().Project(Steps({"head -c " + std::string(size) + " /dev/zero; echo e >&2; exit 3"}), seconds(60));
    EXPECT_LT(ResidentMemory(), before + (std::size_t{8} << 20)) << size;
    EXPECT_EQ(result.outcome, Outcome::kCompleted);
    ASSERT_EQ(result.steps.size(), 1U);
    EXPECT_EQ(result.steps[0].exit_code, 3);
    EXPECT_EQ(result.steps[0].stdout_bytes.size(), std::size_t{1} << 20);
    EXPECT_TRUE(result.steps[0].stdout_truncated);
    EXPECT_EQ(result.steps[0].stderr_bytes, "e\n");
    EXPECT_FALSE(result.steps[0].stderr_truncated);
  }
}

TEST_P(Project, AllStepsTogetherKeepThreeMebibytes) {
  const auto result = live().Project(Steps(std::vector<std::string>(5, "head -c 1048576 /dev/zero")));
  ASSERT_EQ(result.steps.size(), 5U);
  std::size_t total = 0;
  for (const auto& step : result.steps) {
    total += step.stdout_bytes.size();
  }
  EXPECT_EQ(total, std::size_t{3} << 20);
  EXPECT_FALSE(result.steps[2].stdout_truncated);
  EXPECT_TRUE(result.steps[3].stdout_truncated);
}

TEST_P(Project, P53_EveryByteComesBack) {
  const auto result = live().Project(Steps({"node -e 'process.stdout.write(Buffer.from([...Array(256).keys()]))'"}));
  ASSERT_EQ(result.steps.size(), 1U);
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes.push_back(static_cast<char>(i));
  }
  EXPECT_EQ(result.steps[0].stdout_bytes, bytes);
}

TEST_P(Project, P42_NoStepReachesTheAgent) {
  const auto result = live().Project(
      Steps({"for f in fd/0 fd/1 mem environ maps; do head -c 1 /proc/1/$f > /dev/null 2>&1 && echo read $f; done; "
             "echo x > /proc/1/fd/1 2>/dev/null && echo wrote; echo tried",
             "kill -TERM 1; kill -INT 1; kill -HUP 1; kill -USR1 1; kill -PIPE 1; echo alive"}));
  EXPECT_EQ(result.outcome, Outcome::kCompleted);
  ASSERT_EQ(result.steps.size(), 2U);
  EXPECT_EQ(result.steps[0].stdout_bytes, "tried\n");
  EXPECT_EQ(result.steps[1].stdout_bytes, "alive\n");
}

TEST_P(Project, P43_AStepThatKillsEverythingItCanEndsNothingButItsOwnRun) {
  const auto result =
      live().Project(Steps({"echo before; kill -KILL 1; kill -KILL -1; sleep 1; echo after"}), seconds(5));
  if (under_runsc()) {
    EXPECT_EQ(result.outcome, Outcome::kRunnerFailed) << result.outcome_detail;
    EXPECT_NE(result.outcome_detail.find("container exit code 137"), std::string::npos) << result.outcome_detail;
  } else {
    EXPECT_EQ(result.outcome, Outcome::kCompleted) << result.outcome_detail;
    ASSERT_EQ(result.steps.size(), 1U);
  }
  EXPECT_EQ(live().Project(Steps({"echo next"})).steps.at(0).stdout_bytes, "next\n");
}

TEST_P(Project, P43_ExhaustedMemoryGivesNoForgedReport) {
  const auto result = live().Project(
      Steps({"echo before; node -e 'const h=[]; for(;;) h.push(Buffer.alloc(16<<20,1))'; exit 5"}), seconds(30));
  if (result.outcome == Outcome::kCompleted) {
    ASSERT_EQ(result.steps.size(), 1U);
    EXPECT_EQ(result.steps[0].exit_code, 5);  // the step's child was killed, the step went on
  } else {
    EXPECT_EQ(result.outcome, Outcome::kRunnerFailed);
    EXPECT_NE(result.outcome_detail.find("137"), std::string::npos) << result.outcome_detail;
  }
}

TEST_P(Project, AStoppedAgentIsATimeoutAndItsSandboxIsRemoved) {
  const auto begin = steady_clock::now();
  const auto result = live().Project(Steps({"echo before; kill -STOP 1; sleep 1; echo after"}), seconds(2));
  EXPECT_LT(steady_clock::now() - begin, seconds(9));
  if (under_runsc()) {
    EXPECT_EQ(result.outcome, Outcome::kTimedOut);
    EXPECT_TRUE(result.steps.empty());
  } else {
    EXPECT_EQ(result.outcome, Outcome::kCompleted);
  }
  EXPECT_TRUE(live().LeftAfter(seconds(10)).empty());
}

TEST_P(Project, TheStepsEnvironmentHoldsTheImagesAndTheRunners) {
  const auto result =
      live().Project(Steps({"env | sort; cat /proc/self/status | grep -E '^(Uid|Gid|CapEff|NoNewPrivs)'"}));
  ASSERT_EQ(result.steps.size(), 1U);
  EXPECT_NE(result.steps[0].stdout_bytes.find("PLIMSOLL_RUNNER_PID=1\n"), std::string::npos);
  EXPECT_NE(result.steps[0].stdout_bytes.find("CapEff:\t0000000000000000\n"), std::string::npos);
  EXPECT_NE(result.steps[0].stdout_bytes.find("61000\t61000\t61000\t61000\n"), std::string::npos);
}

TEST_P(Project, XD3_ALeftBackgroundProcessDoesNotHoldUpTheReport) {
  const auto begin = steady_clock::now();
  const auto result = live().Project(Steps({"(sleep 60; echo late) & echo now", "echo next"}));
  EXPECT_LT(steady_clock::now() - begin, seconds(10));
  EXPECT_EQ(result.outcome, Outcome::kCompleted);
  ASSERT_EQ(result.steps.size(), 2U);
  EXPECT_EQ(result.steps[0].stdout_bytes, "now\n");
  EXPECT_TRUE(live().LeftAfter(seconds(10)).empty());
}

}  // namespace
}  // namespace plimsoll::docker
