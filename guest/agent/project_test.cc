// Projects, seen from the host of the built program.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "guest/agent/testing/agent_host.h"

namespace plimsoll::guest {
namespace {

namespace agent = frames::agent;
using agent::Outcome;
using std::chrono::milliseconds;
using Files = std::vector<std::pair<std::string, std::string>>;

constexpr milliseconds kAmple(20'000);

agent::Plan PlanOf(const WorkFolder& folder, std::vector<std::string> steps) {
  return {.steps = std::move(steps),
          .directory = folder.path(),
          .stream_cap = 1 << 20,
          .total_cap = 3 << 20,
          .artifact_cap = 8 << 20};
}

Heard RunProject(const agent::Plan& plan, const Files& files = {}, milliseconds budget = kAmple) {
  AgentHost host;
  host.BeginProject(plan, files, budget);
  return host.Hear();
}

TEST(Project, P44_StopsAfterTheFirstStepThatFails) {
  const WorkFolder folder;
  const Heard heard = RunProject(PlanOf(folder, {"true", "false", "true"}));
  EXPECT_EQ(heard.outcome(), Outcome::kCompleted);
  EXPECT_EQ(heard.done->detail, "");
  ASSERT_EQ(heard.steps.size(), 2U);
  EXPECT_EQ(heard.steps[0].exit_code(), 0);
  EXPECT_EQ(heard.steps[1].exit_code(), 1);
}

TEST(Project, P45_GivesAllStepsOneBudget) {
  const WorkFolder folder;
  const Heard heard = RunProject(PlanOf(folder, {"sleep 0.4; echo one", "sleep 30", "true"}), {}, milliseconds(900));
  EXPECT_EQ(heard.outcome(), Outcome::kTimedOut);
  EXPECT_EQ(heard.done->detail, "step 2 of 3 was ended at the deadline");
  ASSERT_EQ(heard.steps.size(), 2U);
  EXPECT_EQ(heard.steps[0].out, "one\n");
  EXPECT_EQ(heard.steps[0].exit_code(), 0);
  EXPECT_EQ(heard.steps[1].exit_code(), 124);
  EXPECT_TRUE(heard.steps[1].exited->timed_out);
  EXPECT_LT(heard.took, milliseconds(2500));
}

TEST(Project, P46_EndsAStepThatIgnoresSigterm) {
  const WorkFolder folder;
  const Heard heard = RunProject(PlanOf(folder, {"trap '' TERM INT HUP; while :; do sleep " + Mark(6541) + "; done"}),
                                 {}, milliseconds(500));
  EXPECT_EQ(heard.outcome(), Outcome::kTimedOut);
  EXPECT_EQ(heard.steps.at(0).exit_code(), 124);
  EXPECT_LT(heard.took, milliseconds(2000));
  EXPECT_EQ(ProcessesWith(Mark(6541)), 0);
}

TEST(Project, P48_AFileInTheWayOfAnotherFailsTheSetup) {
  for (const Files& files :
       {Files{{"a", "1"}, {"a/b", "2"}}, Files{{"a/b", "2"}, {"a", "1"}}, Files{{"a", ""}, {"a", ""}}}) {
    const WorkFolder folder;
    const Heard heard = RunProject(PlanOf(folder, {"true"}), files);
    EXPECT_EQ(heard.outcome(), Outcome::kSetupFailed);
    EXPECT_TRUE(heard.done->detail.starts_with("file 2 of 2: ")) << heard.done->detail;
    EXPECT_TRUE(heard.steps.empty());
  }
}

TEST(Project, FailsTheSetupWithoutItsDirectory) {
  agent::Plan plan{.steps = {"true"}, .directory = "/no/such/directory"};
  const Heard heard = RunProject(plan);
  EXPECT_EQ(heard.outcome(), Outcome::kSetupFailed);
  EXPECT_EQ(heard.done->detail, "the working directory cannot be opened: ENOENT");
}

TEST(Project, FollowsNoLinkWhenItWritesFiles) {
  const WorkFolder folder;
  const WorkFolder outside;
  std::filesystem::create_directory_symlink(outside.path(), folder.path() + "/link");
  std::filesystem::create_symlink(outside.path() + "/target", folder.path() + "/file");
  EXPECT_EQ(RunProject(PlanOf(folder, {"true"}), {{"link/x", "1"}}).outcome(), Outcome::kSetupFailed);
  EXPECT_EQ(RunProject(PlanOf(folder, {"true"}), {{"file", "1"}}).outcome(), Outcome::kSetupFailed);
  EXPECT_TRUE(std::filesystem::is_empty(outside.path()));
}

// What an earlier call left at a file's path: a file is replaced, whatever else is there fails the setup at once.
TEST(Project, S58_ReplacesAFileAndIsHeldByNothingElse) {
  const WorkFolder folder;
  AgentHost host;
  const auto next = [&](const std::string& step, const Files& files) {
    host.BeginProject(PlanOf(folder, {step}), files, kAmple);
    return host.Hear();
  };
  EXPECT_EQ(next("echo a longer text > file; mkdir dir; mkfifo fifo; ln -s file link; cat file", {}).steps.at(0).out,
            "a longer text\n");
  const Heard replaced = next("cat file", {{"file", "short"}});
  ASSERT_EQ(replaced.steps.size(), 1U);
  EXPECT_EQ(replaced.steps[0].out, "short");
  for (const char* path : {"dir", "fifo", "link", "file/below", "fifo/below"}) {
    const Heard heard = next("true", {{path, "x"}});
    EXPECT_EQ(heard.outcome(), Outcome::kSetupFailed) << path;
    EXPECT_LT(heard.took, milliseconds(2000)) << path;
  }
  EXPECT_EQ(next("cat file", {}).steps.at(0).out, "short");
}

TEST(Project, WritesItsFilesWithTheirFolders) {
  const WorkFolder folder;
  Files files = {{"a/b/c", std::string("zero \0 byte", 11)}, {"a/d", ""}, {"sp ace/\xc3\xa4", "x"}};
  files.emplace_back("big", std::string(3 << 20, 'b'));
  const Heard heard =
      RunProject(PlanOf(folder, {"find . -type f | sort; wc -c < a/b/c; wc -c < big; stat -c %a a a/d"}), files);
  ASSERT_EQ(heard.outcome(), Outcome::kCompleted) << heard.done->detail;
  EXPECT_EQ(heard.steps.at(0).out, "./a/b/c\n./a/d\n./big\n./sp ace/\xc3\xa4\n11\n3145728\n755\n644\n");
}

TEST(Project, P47_TakesTwoHundredFilesAndTwentySteps) {
  const WorkFolder folder;
  Files files;
  for (int i = 0; i < 200; ++i) {
    files.emplace_back("d" + std::to_string(i) + "/f", std::string(20'971, 'x'));
  }
  std::vector<std::string> steps(20, "echo x >> count");
  steps.back() = "cat count | wc -l; ls -d d* | wc -l # " + std::string(16 * 1024 - 60, '#');
  const Heard heard = RunProject(PlanOf(folder, steps), files);
  ASSERT_EQ(heard.steps.size(), 20U) << heard.done->detail;
  EXPECT_EQ(heard.steps[19].out, "19\n200\n");
}

TEST(Project, XC1_GivesAStepItsDirectoryItsEnvironmentAndNoInput) {
  const WorkFolder folder;
  agent::Plan plan = PlanOf(folder, {"pwd; echo $PLIMSOLL_RUNNER_PID $PPID; echo $A; cat; readlink /proc/self/fd/0"});
  plan.environment = GuestEnvironment();
  plan.environment.push_back("A=given");
  AgentHost host;
  host.BeginProject(plan, {}, kAmple);
  const std::string pid = std::to_string(host.pid());
  EXPECT_EQ(host.Hear().steps.at(0).out, folder.path() + "\n" + pid + " " + pid + "\ngiven\n/dev/null\n");
}

TEST(Project, LetsABackgroundProcessLiveFromStepToStepAndNoLonger) {
  const WorkFolder folder;
  // It writes to the stream of a step that is over, and goes on.
  const Heard heard =
      RunProject(PlanOf(folder, {"(sleep 1; echo chatter; echo wrote > late; exec sleep " + Mark(6542) + ") &",
                                 "while ! [ -s late ]; do sleep 0.05; done; sleep 0.2; cat late; pgrep -fc '^sleep " +
                                     Mark(6542) + "$'"}));
  ASSERT_EQ(heard.steps.size(), 2U);
  EXPECT_EQ(heard.steps[0].exit_code(), 0);
  EXPECT_EQ(heard.steps[0].out, "");
  EXPECT_LT(heard.steps[0].exited->duration, milliseconds(1000));
  EXPECT_EQ(heard.steps[1].out, "wrote\n1\n");
  EXPECT_TRUE(BecomesProcessesWith(Mark(6542), 0));
}

TEST(Project, P52_KeepsTheFirstMebibyteOfAFloodAndTheExitCode) {
  for (const char* bytes : {"2097152", "200000000"}) {
    const WorkFolder folder;
    const Heard heard = RunProject(PlanOf(folder, {std::string("plimsoll-guest-tricks fill ") + bytes + "; exit 3"}));
    ASSERT_EQ(heard.steps.size(), 1U);
    EXPECT_EQ(heard.steps[0].out.size(), 1U << 20);
    EXPECT_TRUE(heard.steps[0].exited->stdout_cut);
    EXPECT_FALSE(heard.steps[0].exited->stderr_cut);
    EXPECT_EQ(heard.steps[0].exit_code(), 3);
    EXPECT_EQ(heard.outcome(), Outcome::kCompleted);
  }
}

TEST(Project, CutsTheNewestStepToFitAllStepsTogether) {
  const WorkFolder folder;
  agent::Plan plan =
      PlanOf(folder, {"plimsoll-guest-tricks fill 600", "plimsoll-guest-tricks fill 600; exit 0", "echo x"});
  plan.total_cap = 1000;
  const Heard heard = RunProject(plan);
  ASSERT_EQ(heard.steps.size(), 3U);
  EXPECT_EQ(heard.steps[0].out.size(), 600U);
  EXPECT_FALSE(heard.steps[0].exited->stdout_cut);
  EXPECT_EQ(heard.steps[1].out.size(), 400U);
  EXPECT_TRUE(heard.steps[1].exited->stdout_cut);
  EXPECT_EQ(heard.steps[2].out, "");
  EXPECT_TRUE(heard.steps[2].exited->stdout_cut);
}

TEST(Project, ReportsAStepThatWasKilled) {
  const WorkFolder folder;
  const Heard heard = RunProject(PlanOf(folder, {"kill -9 $$", "true"}));
  ASSERT_EQ(heard.steps.size(), 1U);
  EXPECT_EQ(heard.steps[0].exit_code(), 137);
  EXPECT_EQ(heard.steps[0].exited->signal, 9);
  EXPECT_EQ(heard.outcome(), Outcome::kCompleted);
}

TEST(Project, CancelledMidwayStillReports) {
  const WorkFolder folder;
  AgentHost host;
  agent::Plan plan = PlanOf(folder, {"echo one > file", "echo two; sleep " + Mark(6543), "echo three"});
  plan.artifacts = {"file"};
  host.BeginProject(plan, {}, milliseconds(60'000));
  ASSERT_TRUE(ReachesProcessesWith(Mark(6543), 2));  // the shell and its child
  host.Send(agent::Type::kCancel, agent::kControl, agent::EncodeChannel(AgentHost::kCall));
  const Heard heard = host.Hear(milliseconds(3000));
  EXPECT_EQ(heard.outcome(), Outcome::kTimedOut);
  ASSERT_EQ(heard.steps.size(), 2U);
  EXPECT_EQ(heard.steps[1].out, "two\n");
  EXPECT_EQ(heard.artifacts.at(0), "one\n");
}

}  // namespace
}  // namespace plimsoll::guest
