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
  host_->BeginSnippet(ShellPlan(),
                      "echo before; (setsid sh -c 'sleep 5432.1 & sleep 5432.1' &) ; setsid sleep 5432.1 & "
                      "plimsoll-guest-tricks litter 4 5432.1; trap '' TERM HUP INT; while :; do sleep 5432.1; done",
                      milliseconds(700));
  ASSERT_TRUE(BecomesProcessesWith("5432.1", 8)) << ProcessesWith("5432.1");
  const Heard heard = host_->Hear();
  EXPECT_EQ(heard.outcome(), Outcome::kTimedOut);
  ASSERT_EQ(heard.steps.size(), 1U);
  EXPECT_EQ(heard.steps[0].out, "before\n");
  EXPECT_EQ(heard.steps[0].exit_code(), 124);
  EXPECT_TRUE(heard.steps[0].exited->timed_out);
  EXPECT_GE(heard.steps[0].exited->duration, milliseconds(700));
  EXPECT_EQ(ProcessesWith("5432.1"), 0) << "left when the answer was given";
}

TEST_P(Tree, IsGoneThoughItKeepsMoving) {
  host_->BeginSnippet(ShellPlan(), "plimsoll-guest-tricks comet 20000 5432.2; sleep 5432.2", milliseconds(300));
  const Heard heard = host_->Hear();
  EXPECT_EQ(heard.outcome(), Outcome::kTimedOut);
  EXPECT_TRUE(BecomesProcessesWith("5432.2", 0));
}

TEST_P(Tree, IsGoneWhenTheSnippetEnds) {
  host_->BeginSnippet(ShellPlan(), "setsid sleep 5432.3 & exit 0", milliseconds(20'000));
  EXPECT_EQ(host_->Hear().outcome(), Outcome::kCompleted);
  EXPECT_TRUE(BecomesProcessesWith("5432.3", 0));
}

TEST_P(Tree, IsGoneWhenTheHostHangsUp) {
  host_->BeginSnippet(ShellPlan(), "(setsid sleep 5432.4 &); setsid sleep 5432.4 & sleep 5432.4", milliseconds(20'000));
  ASSERT_TRUE(BecomesProcessesWith("5432.4", 3));
  host_->HangUp();
  ASSERT_TRUE(host_->Wait());
  EXPECT_EQ(ProcessesWith("5432.4"), 0);
}

INSTANTIATE_TEST_SUITE_P(Deadline, Tree, testing::Values(Namespace::kShared, Namespace::kOwnPids),
                         [](const auto& test) {
                           return test.param == Namespace::kShared ? "AsAnOrdinaryChild" : "AsTheFirstProcess";
                         });

TEST(Deadline, IsKeptWhileTheHostReadsNothing) {
  AgentHost host;
  host.BeginSnippet({.argv = {"sh"}, .stream_cap = 100'000'000}, "exec plimsoll-guest-tricks fill 90000000 1 5432.5",
                    milliseconds(400));
  ASSERT_TRUE(BecomesProcessesWith("5432.5", 1));
  EXPECT_TRUE(BecomesProcessesWith("5432.5", 0, milliseconds(1500))) << "outlived its deadline";
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
  std::this_thread::sleep_for(milliseconds(600));
  host.SendFiles({{"", "sleep 0.2; echo done"}});
  host.SendBegin(milliseconds(5000));
  EXPECT_EQ(host.Hear().steps.at(0).out, "done\n");
}

TEST(Cancel, IsTheDeadlineNow) {
  AgentHost host;
  host.BeginSnippet(ShellPlan(), "echo before; sleep 5432.6 & sleep 5432.6", milliseconds(60'000));
  ASSERT_EQ(host.HearSome().steps.at(0).out, "before\n");
  host.Send(Type::kCancel, agent::kControl, agent::EncodeChannel(AgentHost::kCall));
  const Heard heard = host.Hear(milliseconds(3000));
  EXPECT_EQ(heard.outcome(), Outcome::kTimedOut);
  EXPECT_EQ(heard.steps[0].exit_code(), 124);
  EXPECT_EQ(heard.steps[0].out, "before\n");
  EXPECT_EQ(ProcessesWith("5432.6"), 0);
}

TEST(Cancel, BeforeTheBeginningStartsNothing) {
  AgentHost host;
  host.OpenCall(agent::Kind::kSnippet);
  host.SendPlan({.argv = {"sleep", "5432.7"}, .environment = GuestEnvironment()});
  ASSERT_TRUE(BecomesProcessesWith("5432.7", 1));
  host.Send(Type::kCancel, agent::kControl, agent::EncodeChannel(AgentHost::kCall));
  const Heard heard = host.Hear();
  EXPECT_EQ(heard.outcome(), Outcome::kTimedOut);
  EXPECT_TRUE(heard.steps.empty());
  EXPECT_EQ(ProcessesWith("5432.7"), 0);
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
