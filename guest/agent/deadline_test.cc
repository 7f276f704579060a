// The end of a call: the deadline, a cancellation, and what must be gone after it. Every test has a bystander, a
// process of the same user outside the agent's tree, that must live on.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "guest/agent/testing/agent_host.h"

namespace plimsoll::guest {
namespace {

namespace agent = frames::agent;
using agent::Outcome;
using agent::Type;
using std::chrono::milliseconds;

agent::Plan ShellPlan() { return {.argv = {"sh"}, .stream_cap = 65536}; }

// A process that no agent of the test started, of the user whom guests have.
class Bystander {
 public:
  Bystander() {
    const bool is_root = ::getuid() == 0;
    auto child = os::Child::Start(
        {.program = is_root ? "/usr/bin/setpriv" : "/usr/bin/sleep",
         .arguments = is_root ? std::vector<std::string>{"--reuid", "61000", "--regid", "61000", "--clear-groups", "--",
                                                         "/usr/bin/sleep", "600"}
                              : std::vector<std::string>{"600"}});
    child_.emplace(std::move(child).value());
  }
  bool IsAlive() { return !child_->TryReap().has_value(); }

 private:
  std::optional<os::Child> child_;
};

// Both ways of being: an ordinary child, and the first process of a process namespace, which kills in another way.
class Tree : public testing::TestWithParam<Namespace> {
 protected:
  void SetUp() override {
    host_.emplace(User::kOrdinary, GetParam());
    if (!host_->ready() && GetParam() == Namespace::kOwnPids) {
      GTEST_SKIP() << "no process namespace can be made here";
    }
    ASSERT_TRUE(host_->ready());
    if (GetParam() == Namespace::kOwnPids) {
      EXPECT_EQ(host_->identity().pid, 1);
    }
  }
  void TearDown() override { EXPECT_TRUE(bystander_.IsAlive()); }

  Bystander bystander_;
  std::optional<AgentHost> host_;
};

TEST_P(Tree, XA1_P39_IsGoneAtTheDeadline) {
  // The interpreter makes its tree while it waits, so that all of it is there when the time begins.
  const std::string script = "(setsid sh -c 'sleep " + Mark(5431) + " & sleep " + Mark(5431) + "' &) ; setsid sleep " +
                             Mark(5431) + " & plimsoll-guest-tricks litter 4 " + Mark(5431) +
                             ";"
                             "trap '' TERM HUP INT; read code; echo before; while :; do sleep " +
                             Mark(5431) + "; done";
  host_->OpenCall(agent::Kind::kSnippet);
  host_->SendPlan({.argv = {"sh", "-c", script}, .environment = GuestEnvironment(), .stream_cap = 65536});
  ASSERT_TRUE(ReachesProcessesWith(Mark(5431), 12)) << ProcessesWith(Mark(5431));
  host_->SendFiles({{"", "go\n"}});
  host_->SendBegin(milliseconds(300));
  const Heard heard = host_->Hear();
  EXPECT_EQ(heard.outcome(), Outcome::kTimedOut);
  ASSERT_EQ(heard.steps.size(), 1U);
  EXPECT_EQ(heard.steps[0].out, "before\n");
  EXPECT_EQ(heard.steps[0].exit_code(), 124);
  EXPECT_TRUE(heard.steps[0].exited->timed_out);
  EXPECT_GE(heard.steps[0].exited->duration, milliseconds(300));
  EXPECT_EQ(ProcessesWith(Mark(5431)), 0) << "left when the answer was given";
}

TEST_P(Tree, IsGoneThoughItKeepsMoving) {
  host_->BeginSnippet(ShellPlan(), "plimsoll-guest-tricks comet 20000 " + Mark(5432) + "; sleep " + Mark(5432),
                      milliseconds(300));
  const Heard heard = host_->Hear();
  EXPECT_EQ(heard.outcome(), Outcome::kTimedOut);
  EXPECT_TRUE(BecomesProcessesWith(Mark(5432), 0));
}

TEST_P(Tree, IsGoneWhenTheSnippetEnds) {
  host_->BeginSnippet(ShellPlan(), "setsid sleep " + Mark(5433) + " & sleep 0.3; exit 0", milliseconds(20'000));
  EXPECT_EQ(host_->Hear().outcome(), Outcome::kCompleted);
  EXPECT_TRUE(BecomesProcessesWith(Mark(5433), 0));
}

TEST_P(Tree, IsGoneWhenTheHostHangsUp) {
  host_->BeginSnippet(ShellPlan(),
                      "(setsid sleep " + Mark(5434) + " &); setsid sleep " + Mark(5434) + " & sleep " + Mark(5434),
                      milliseconds(20'000));
  ASSERT_TRUE(ReachesProcessesWith(Mark(5434), 3));
  host_->HangUp();
  ASSERT_TRUE(host_->Wait());
  EXPECT_EQ(ProcessesWith(Mark(5434)), 0);
}

INSTANTIATE_TEST_SUITE_P(Deadline, Tree, testing::Values(Namespace::kShared, Namespace::kOwnPids),
                         [](const auto& test) {
                           return test.param == Namespace::kShared ? "AsAnOrdinaryChild" : "AsTheFirstProcess";
                         });

TEST(Deadline, IsKeptWhileTheHostReadsNothing) {
  AgentHost host;
  host.BeginSnippet({.argv = {"sh"}, .stream_cap = 100'000'000},
                    "exec plimsoll-guest-tricks fill 90000000 1 " + Mark(5435), milliseconds(400));
  ASSERT_TRUE(ReachesProcessesWith(Mark(5435), 1));
  EXPECT_TRUE(BecomesProcessesWith(Mark(5435), 0, milliseconds(1500))) << "outlived its deadline";
  const Heard heard = host.Hear();
  EXPECT_EQ(heard.outcome(), Outcome::kTimedOut);
  EXPECT_EQ(heard.steps[0].exit_code(), 124);
  EXPECT_FALSE(heard.steps[0].exited->stdout_cut);
  EXPECT_GT(heard.steps[0].out.size(), 256U * 1024);
}

TEST(Deadline, XA2_KeepsTheOutputUntilThen) {
  AgentHost host;
  host.BeginSnippet(ShellPlan(), "printf 'partial'; printf 'error' >&2; sleep 100", milliseconds(300));
  const Heard heard = host.Hear();
  EXPECT_EQ(heard.steps[0].out, "partial");
  EXPECT_EQ(heard.steps[0].err, "error");
  EXPECT_LT(heard.took, milliseconds(1500));
}

TEST(Deadline, CountsFromTheBeginningAndNotFromThePlan) {
  AgentHost host;
  host.OpenCall(agent::Kind::kSnippet);
  host.SendPlan({.argv = {"sh"}, .environment = GuestEnvironment(), .stream_cap = 100});
  std::this_thread::sleep_for(milliseconds(2200));
  host.SendFiles({{"", "sleep 0.2; echo done"}});
  host.SendBegin(milliseconds(2000));
  EXPECT_EQ(host.Hear().steps.at(0).out, "done\n");
}

TEST(Cancel, IsTheDeadlineNow) {
  AgentHost host;
  host.BeginSnippet(ShellPlan(), "echo before; sleep " + Mark(5436) + " & sleep " + Mark(5436), milliseconds(60'000));
  ASSERT_EQ(host.HearSome().steps.at(0).out, "before\n");
  host.Send(Type::kCancel, agent::kControl, agent::EncodeChannel(AgentHost::kCall));
  const Heard heard = host.Hear(milliseconds(3000));
  EXPECT_EQ(heard.outcome(), Outcome::kTimedOut);
  EXPECT_EQ(heard.steps[0].exit_code(), 124);
  EXPECT_EQ(heard.steps[0].out, "before\n");
  EXPECT_EQ(ProcessesWith(Mark(5436)), 0);
}

TEST(Cancel, BeforeTheBeginningStartsNothing) {
  AgentHost host;
  host.OpenCall(agent::Kind::kSnippet);
  host.SendPlan({.argv = {"sleep", Mark(5437)}, .environment = GuestEnvironment()});
  ASSERT_TRUE(ReachesProcessesWith(Mark(5437), 1));
  host.Send(Type::kCancel, agent::kControl, agent::EncodeChannel(AgentHost::kCall));
  const Heard heard = host.Hear();
  EXPECT_EQ(heard.outcome(), Outcome::kTimedOut);
  EXPECT_TRUE(heard.steps.empty());
  EXPECT_EQ(ProcessesWith(Mark(5437)), 0);
}

TEST(Cancel, OfACallThatIsOverOrUnknownIsNoBreach) {
  AgentHost host;
  host.Send(Type::kCancel, agent::kControl, agent::EncodeChannel(99));
  host.BeginSnippet(ShellPlan(), "exit 0", milliseconds(20'000));
  ASSERT_EQ(host.Hear().outcome(), Outcome::kCompleted);
  host.Send(Type::kCancel, agent::kControl, agent::EncodeChannel(AgentHost::kCall));
  EXPECT_TRUE(host.Ping("there"));
}

}  // namespace
}  // namespace plimsoll::guest
