// A sandbox that is kept: many calls, and the sweep between them (sessions.md 11.4).
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <thread>

#include "guest/agent/disk.h"
#include "guest/agent/exit_status.h"
#include "guest/agent/testing/agent_host.h"

namespace plimsoll::guest {
namespace {

namespace agent = frames::agent;
using agent::Kind;
using agent::Outcome;
using agent::Type;
using std::chrono::milliseconds;
using Verdict = agent::Swept::Verdict;

constexpr milliseconds kAmple(20'000);

agent::Plan ShellPlan(std::uint64_t cap = 65536) { return {.argv = {"sh"}, .stream_cap = cap}; }

std::string FirstOutput(AgentHost& host, std::string_view script, milliseconds budget = kAmple) {
  host.BeginSnippet(ShellPlan(), script, budget);
  const Heard heard = host.Hear();
  EXPECT_TRUE(heard.done);
  return heard.steps.empty() ? "no step" : heard.steps[0].out;
}

std::optional<Verdict> VerdictOf(AgentHost& host, const agent::SweepOrder& order = {}) {
  const auto swept = host.Sweep(order);
  return swept ? std::optional(swept->verdict) : std::nullopt;
}

// An ordinary child, and the first process of a process namespace, which clears up in another way.
class Kept : public testing::TestWithParam<Namespace> {
 protected:
  void SetUp() override {
    host_.emplace(User::kOrdinary, GetParam());
    if (!host_->ready() && GetParam() == Namespace::kOwnPids) {
      GTEST_SKIP() << "no process namespace can be made here";
    }
    ASSERT_TRUE(host_->ready());
  }
  AgentHost& host() { return *host_; }

 private:
  std::optional<AgentHost> host_;
};
INSTANTIATE_TEST_SUITE_P(Sweep, Kept, testing::Values(Namespace::kShared, Namespace::kOwnPids),
                         [](const auto& test) { return test.param == Namespace::kShared ? "Child" : "First"; });

TEST_P(Kept, ServesSnippetsAndProjectsOneAfterAnother) {
  const WorkFolder folder;
  std::set<std::array<std::byte, agent::Key::kSize>> keys;
  for (int call = 0; call < 20; ++call) {
    const std::string number = std::to_string(call);
    if (call % 2 == 0) {
      EXPECT_EQ(FirstOutput(host(), "echo " + number + "; cat " + folder.path() + "/file 2>/dev/null || echo none"),
                number + "\n" + (call == 0 ? "none" : std::to_string(call - 1)) + "\n");
    } else {
      host().BeginProject(
          {.steps = {"cat in > file", "cat file"}, .directory = folder.path(), .stream_cap = 100, .artifact_cap = 100},
          {{"in", number + "\n"}}, kAmple);
      const Heard heard = host().Hear();
      ASSERT_EQ(heard.steps.size(), 2U);
      EXPECT_EQ(heard.steps[1].out, number + "\n");
      EXPECT_EQ(heard.outcome(), Outcome::kCompleted);
    }
    keys.insert(host().call_key());
    EXPECT_EQ(host().Sweep(), (agent::Swept{.verdict = Verdict::kClean}));
    EXPECT_TRUE(host().Ping(number));
  }
  EXPECT_EQ(keys.size(), 20U);
}

TEST_P(Kept, S27_NothingOfACallIsLeftForTheNext) {
  const std::string mark = Mark(6321);
  const std::string leave = "(setsid sh -c 'trap \"\" TERM HUP; sleep " + mark + " & sleep " + mark +
                            "' &); setsid sleep " + mark + " & sleep " + mark + " & plimsoll-guest-tricks litter 3 " +
                            mark + "; sleep 0.3; echo left";
  EXPECT_EQ(FirstOutput(host(), leave), "left\n");
  EXPECT_EQ(VerdictOf(host()), Verdict::kClean);
  EXPECT_EQ(ProcessesWith(mark), 0);
  // The brackets keep the search from finding itself.
  EXPECT_EQ(FirstOutput(host(), "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'sleep [6]" + mark.substr(1) + "'"),
            "0\n");
}

TEST_P(Kept, S28_AChildThatHoldsTheOutputIsNotWaitedForAndIsGone) {
  const std::string mark = Mark(6322);
  host().BeginSnippet(ShellPlan(), "sleep " + mark + " & sleep 0.2; echo over", kAmple);
  const Heard heard = host().Hear();
  EXPECT_EQ(heard.steps.at(0).out, "over\n");
  EXPECT_LT(heard.took, milliseconds(3000));
  EXPECT_EQ(VerdictOf(host()), Verdict::kClean);
  EXPECT_EQ(ProcessesWith(mark), 0);
}

// Its first thread reads as a zombie, and nobody can wait for it, while the other one works on.
TEST_P(Kept, S29_AProcessWhoseMainThreadEndedIsGone) {
  const WorkFolder folder;
  const std::string file = folder.path() + "/grows";
  EXPECT_EQ(FirstOutput(host(), "plimsoll-guest-tricks headless " + file + " & sleep 0.3; echo left"), "left\n");
  EXPECT_EQ(VerdictOf(host()), Verdict::kClean);
  const auto size = std::filesystem::file_size(file);
  EXPECT_GT(size, 10U);
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_EQ(std::filesystem::file_size(file), size);
}

TEST_P(Kept, AChainThatForksFasterThanAFolderIsReadIsGone) {
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(FirstOutput(host(), "plimsoll-guest-tricks comet 20000 " + Mark(6323) + " & sleep 0.1; echo left"),
              "left\n");
    EXPECT_EQ(VerdictOf(host()), Verdict::kClean);
    EXPECT_EQ(ProcessesWith(Mark(6323)), 0);
  }
}

TEST_P(Kept, S31_ACallThatTimedOutIsFollowedByOthers) {
  EXPECT_EQ(FirstOutput(host(), "echo before; while :; do :; done", milliseconds(200)), "before\n");
  EXPECT_EQ(VerdictOf(host()), Verdict::kClean);
  EXPECT_EQ(FirstOutput(host(), "echo next"), "next\n");
}

TEST_P(Kept, AGT4_StaysSmallThroughManyCalls) {
  const auto resident = [&](std::string_view what) {
    std::uint64_t sum = 0;
    std::ifstream status("/proc/" + std::to_string(host().pid()) + "/status");
    for (std::string line; std::getline(status, line);) {
      sum += line.starts_with(what) ? std::strtoull(line.c_str() + what.size(), nullptr, 10) : 0;
    }
    return sum;
  };
  for (int call = 0; call < 100; ++call) {
    EXPECT_EQ(FirstOutput(host(), "plimsoll-guest-tricks fill 300000 & exec plimsoll-guest-tricks fill 200000").size(),
              65536U);
    EXPECT_EQ(VerdictOf(host()), Verdict::kClean);
  }
  EXPECT_LT(resident("VmHWM:"), 4096U);
  if (::getuid() != 0) {
    GTEST_SKIP() << "its descriptors: only root can look into a process that does not let itself be traced";
  }
  std::size_t open = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(host().pid()) + "/fd")) {
    ++open;
  }
  EXPECT_LT(open, 12U);
}

TEST_P(Kept, WhatWasSentToACallThatHasEndedIsNotTheNextOnes) {
  host().OpenCall(Kind::kSnippet);
  const std::uint32_t first = host().call();
  host().SendPlan({.argv = {"false"}, .environment = GuestEnvironment()});
  ASSERT_EQ(host().Hear().outcome(), Outcome::kSetupFailed);
  host().SendFiles({{"", "echo late"}});
  host().SendBegin(kAmple);
  host().Send(Type::kCancel, agent::kControl, agent::EncodeChannel(first));
  EXPECT_EQ(VerdictOf(host()), Verdict::kClean);
  host().BeginSnippet(ShellPlan(), "sleep 0.3; echo next", kAmple);
  host().Send(Type::kCancel, agent::kControl, agent::EncodeChannel(first));
  EXPECT_EQ(host().Hear().steps.at(0).out, "next\n");
}

TEST_P(Kept, S37_MeasuresWhatTheFilesTakeWhereThereIsABudget) {
  const auto used = UsedBytes(kWritablePlaces);
  EXPECT_EQ(host().Sweep(), (agent::Swept{.verdict = Verdict::kClean, .used = 0}));
  const auto ample = host().Sweep({.disk_budget = std::numeric_limits<std::uint64_t>::max()});
  const auto tight = host().Sweep({.disk_budget = 1});
  ASSERT_TRUE(ample && tight);
  if (!used) {
    EXPECT_EQ(ample->verdict, Verdict::kUnmeasurable);  // a machine without one of the places
    return;
  }
  EXPECT_EQ(ample->verdict, Verdict::kClean);
  EXPECT_GT(ample->used, 0U);
  EXPECT_EQ(tight->verdict, Verdict::kOverBudget);
  EXPECT_GT(tight->used, 1U);
}

// A sweep that finds nothing to do is over at once, and the agent is idle after it.
TEST_P(Kept, ASweepWithNothingToDoTakesOneRound) {
  auto shortest = std::chrono::steady_clock::duration::max();
  for (int sweep = 0; sweep < 20; ++sweep) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(VerdictOf(host(), {.quiesce = agent::SweepOrder::Quiesce::kYes}), Verdict::kClean);
    shortest = std::min(shortest, std::chrono::steady_clock::now() - start);
  }
  EXPECT_LT(shortest, milliseconds(20));  // what lies between two rounds
}

// A process put into the namespace of an agent from outside, as by `docker exec`.
class Intruder {
 public:
  Intruder(const AgentHost& host, bool as_guest) {
    std::vector<std::string> words = {"--pid=/proc/" + std::to_string(host.pid()) + "/ns/pid_for_children", "--"};
    if (as_guest) {
      words.insert(words.end(), {"/usr/bin/setpriv", "--reuid", "61000", "--regid", "61000", "--clear-groups", "--"});
    }
    words.insert(words.end(), {"/usr/bin/sleep", mark_});
    auto child = os::Child::Start({.program = "/usr/bin/nsenter", .arguments = words});
    child_.emplace(std::move(child).value());
  }
  // nsenter itself and what it started.
  bool IsThere() const { return ReachesProcessesWith(mark_, 2); }
  bool IsGone() const { return ProcessesWith(mark_) < 2; }

 private:
  const std::string mark_ = Mark(6324);
  std::optional<os::Child> child_;
};

TEST(Sweep, AnIntruderIsKilledAndAZombieOfItAccepted) {
  if (::getuid() != 0) {
    GTEST_SKIP() << "only root can enter another's process namespace";
  }
  AgentHost host(User::kOrdinary, Namespace::kOwnPids);
  const Intruder intruder(host, true);
  ASSERT_TRUE(intruder.IsThere());
  EXPECT_EQ(VerdictOf(host), Verdict::kClean);
  EXPECT_TRUE(intruder.IsGone());
}

TEST(Sweep, S30_WhatCannotBeKilledIsUnproven) {
  if (::getuid() != 0) {
    GTEST_SKIP() << "only root can enter another's process namespace";
  }
  AgentHost host(User::kOrdinary, Namespace::kOwnPids);
  const Intruder intruder(host, false);
  ASSERT_TRUE(intruder.IsThere());
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(host.Sweep({.disk_budget = 1}), (agent::Swept{.verdict = Verdict::kUnproven}));
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took, milliseconds(49 * 20));
  EXPECT_LT(took, milliseconds(5000));
  EXPECT_FALSE(intruder.IsGone());
}

// AGT-5: what a host may not ask of an agent that serves many calls, each sent at once with what makes it wrong.
class OutOfTurn : public testing::TestWithParam<std::pair<const char*, std::string (*)(AgentHost&)>> {};

std::string Opening(AgentHost& host, std::uint32_t channel) {
  return host.Made(Type::kKey, agent::kControl,
                   agent::EncodeOpenCall({.channel = channel, .key = agent::Key(host.control_key())}));
}
std::string Sweeping(AgentHost& host) { return host.Made(Type::kSweep, agent::kControl, agent::EncodeSweep({})); }
// Made one after the other, so that nothing but their meaning is out of order.
template <typename... Makes>
std::string InTurn(Makes... makes) {
  std::string frames;
  ((frames += makes()), ...);
  return frames;
}

TEST_P(OutOfTurn, P75_EndsTheAgent) {
  AgentHost host;
  EXPECT_EQ(FirstOutput(host, "echo one"), "one\n");
  ASSERT_EQ(VerdictOf(host), Verdict::kClean);
  host.SendRaw(GetParam().second(host));
  const auto end = host.Wait();
  ASSERT_TRUE(end && end->how == os::ExitStatus::How::kExited);
  EXPECT_EQ(end->value, static_cast<int>(ExitStatus::kBadFrame));
}

INSTANTIATE_TEST_SUITE_P(
    Sweep, OutOfTurn,
    testing::Values(
        std::pair{"SweepDuringACall",
                  +[](AgentHost& host) {
                    return InTurn([&] { return Opening(host, host.call() + 1); }, [&] { return Sweeping(host); });
                  }},
        std::pair{"CallDuringASweep",
                  +[](AgentHost& host) {
                    return InTurn([&] { return Sweeping(host); }, [&] { return Opening(host, host.call() + 1); });
                  }},
        std::pair{
            "SweepDuringASweep",
            +[](AgentHost& host) { return InTurn([&] { return Sweeping(host); }, [&] { return Sweeping(host); }); }},
        std::pair{"TwoCallsAtOnce",
                  +[](AgentHost& host) {
                    return InTurn([&] { return Opening(host, host.call() + 1); },
                                  [&] { return Opening(host, host.call() + 2); });
                  }},
        std::pair{"ANumberThatWasUsed", +[](AgentHost& host) { return Opening(host, host.call()); }},
        std::pair{"ALowerNumber", +[](AgentHost& host) { return Opening(host, host.call() - 1); }},
        std::pair{"AFrameOfTheCallBefore",
                  +[](AgentHost& host) {
                    return InTurn([&] { return Opening(host, host.call() + 1); },
                                  [&] { return host.Made(Type::kPlan, host.call(), agent::EncodePlan(ShellPlan())); });
                  }},
        std::pair{
            "AnOddOrder",
            +[](AgentHost& host) { return host.Made(Type::kSweep, agent::kControl, std::string(8, '\0') + "\2"); }}),
    [](const auto& test) { return std::string(test.param.first); });

}  // namespace
}  // namespace plimsoll::guest
