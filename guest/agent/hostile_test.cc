// What a guest can do to the agent beside it, as a process of the same user (providers-local.md 7.6). What only the
// first process of a container shows is tested there.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "guest/agent/testing/agent_host.h"

namespace plimsoll::guest {
namespace {

namespace agent = frames::agent;
using agent::Outcome;
using agent::Type;
using std::chrono::milliseconds;

constexpr milliseconds kAmple(20'000);

agent::Plan ShellPlan() { return {.argv = {"sh"}, .stream_cap = 1 << 20}; }

std::string_view Text(const std::array<std::byte, agent::Key::kSize>& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

// Frames that would end the call, made with a key of the guest's own and put on every descriptor it has.
TEST(Hostile, P41_ForgedFramesComeBackAsPlainOutput) {
  agent::Sender forger(agent::Direction::kFromAgent);
  std::array<std::byte, agent::Key::kSize> key{};
  forger.Open(agent::kControl, agent::Key(key));
  forger.Open(AgentHost::kCall, agent::Key(key));
  std::string forged;
  forger.Append(Type::kExited, AgentHost::kCall, agent::EncodeExited({.exit_code = 0}), forged);
  forger.Append(Type::kDone, AgentHost::kCall, agent::EncodeDone({.detail = "forged"}), forged);
  forger.Append(Type::kPong, agent::kControl, "x", forged);
  std::string escaped;
  for (const char byte : forged) {
    std::array<char, 8> octal;
    std::snprintf(octal.data(), octal.size(), "\\%03o", static_cast<unsigned char>(byte));
    escaped += octal.data();
  }
  AgentHost host;
  host.BeginSnippet(ShellPlan(),
                    "f='" + escaped +
                        "'; printf \"$f\"; printf \"$f\" >&2; "
                        "for d in /proc/self/fd/* /proc/$PPID/fd/*; do printf \"$f\" > $d; done 2>/dev/null; exit 7",
                    kAmple);
  const Heard heard = host.Hear();
  ASSERT_EQ(heard.steps.size(), 1U);
  EXPECT_TRUE(heard.steps[0].out.starts_with(forged));
  EXPECT_TRUE(heard.steps[0].err.starts_with(forged));
  EXPECT_EQ(heard.steps[0].exit_code(), 7);
  EXPECT_EQ(heard.outcome(), Outcome::kCompleted);
  EXPECT_EQ(heard.done->detail, "");
}

TEST(Hostile, P42_NothingOfTheAgentCanBeOpenedOrTraced) {
  AgentHost host;
  host.BeginSnippet(ShellPlan(), "exec plimsoll-guest-tricks look $PPID", kAmple);
  const Heard heard = host.Hear();
  ASSERT_EQ(heard.steps.size(), 1U);
  EXPECT_EQ(
      heard.steps[0].out,
      "mem EACCES\nenviron EACCES\nmaps EACCES\nfd/0 EACCES\nfd/1 EACCES\nfd/64 EACCES\nfd/65 EACCES\nfd/66 EACCES\n"
      "attach EPERM\nseize EPERM\nreadv EPERM\nwritev EPERM\n");
  EXPECT_EQ(heard.outcome(), Outcome::kCompleted);
}

// The control: on a process that did not protect itself the same attempts are seen to succeed.
TEST(Hostile, TheAttemptsOnAnOrdinaryProcessSucceed) {
  AgentHost host;
  host.BeginSnippet(ShellPlan(), "sleep 50 & exec plimsoll-guest-tricks look $!", kAmple);
  const Heard heard = host.Hear();
  ASSERT_EQ(heard.steps.size(), 1U);
  EXPECT_NE(heard.steps[0].out.find("mem ALLOWED\nenviron ALLOWED\nmaps ALLOWED\n"), std::string::npos)
      << heard.steps[0].out;
}

TEST(Hostile, P42_NoKeyIsInAnythingAGuestCanRead) {
  AgentHost host;
  host.BeginSnippet(ShellPlan(),
                    "cat /proc/self/environ /proc/self/cmdline /proc/$PPID/cmdline /proc/self/maps /proc/self/stat "
                    "/proc/$PPID/stat /proc/$PPID/status /proc/$PPID/environ 2>&1; env; ls -l /proc/self/fd",
                    kAmple);
  const Heard heard = host.Hear();
  const std::string& out = heard.steps.at(0).out;
  EXPECT_GT(out.size(), 1000U);
  for (const auto& key : {host.control_key(), host.call_key()}) {
    // Not even a part of it.
    for (std::size_t at = 0; at + 6 <= key.size(); ++at) {
      EXPECT_EQ(out.find(Text(key).substr(at, 6)), std::string::npos);
    }
  }
  EXPECT_EQ(out.find("SECRET_OF_THE_HOST"), std::string::npos);
}

TEST(Hostile, P42_CatchableSignalsDoNothing) {
  AgentHost host;
  host.BeginSnippet(ShellPlan(),
                    "plimsoll-guest-tricks signals $PPID; plimsoll-guest-tricks signals $PPID; echo alive; exit 6",
                    kAmple);
  const Heard heard = host.Hear();
  ASSERT_EQ(heard.steps.size(), 1U);
  EXPECT_EQ(heard.steps[0].out, "alive\n");
  EXPECT_EQ(heard.steps[0].exit_code(), 6);
  EXPECT_EQ(heard.outcome(), Outcome::kCompleted);
  EXPECT_TRUE(host.Ping("there"));
}

TEST(Hostile, P43_AGuestThatKillsTheAgentEndsItWithoutAnEnding) {
  AgentHost host;
  host.BeginSnippet(ShellPlan(), "echo before; sleep 0.2; kill -9 $PPID; sleep 1", kAmple);
  const Heard heard = host.Hear();
  EXPECT_FALSE(heard.done);
  ASSERT_EQ(heard.steps.size(), 1U);
  EXPECT_TRUE(heard.steps[0].started);
  EXPECT_EQ(heard.steps[0].out, "before\n");
  EXPECT_FALSE(heard.steps[0].exited);
}

// The kernel lets a process of the same user change another's limits. What that breaks is the guest's own run.
TEST(Hostile, AStarvedAgentSpoilsTheGuestsOwnRunAndSaysSo) {
  const WorkFolder folder;
  AgentHost host;
  host.BeginProject(
      {.steps = {"echo kept > file; plimsoll-guest-tricks starve $PLIMSOLL_RUNNER_PID; echo $?", "echo second"},
       .directory = folder.path(),
       .artifacts = {"file"},
       .stream_cap = 1000,
       .artifact_cap = 1000},
      {}, kAmple);
  const Heard heard = host.Hear();
  ASSERT_GE(heard.steps.size(), 1U);
  EXPECT_EQ(heard.steps[0].out, "0\n");
  EXPECT_EQ(heard.outcome(), Outcome::kRunnerFailed);
  EXPECT_EQ(heard.done->detail, "step 2 of 2 could not be started: make a pipe: EMFILE");
  EXPECT_FALSE(heard.steps.size() > 1 && heard.steps[1].started);
}

// A process may make its parent its tracer, and the parent is then told of its stops as of its end.
TEST(Hostile, AStopUnderATraceTheAgentNeverAskedForIsNoEnd) {
  AgentHost host;
  host.BeginSnippet(ShellPlan(), "exec plimsoll-guest-tricks trace-me", milliseconds(500));
  const Heard heard = host.Hear();
  ASSERT_EQ(heard.steps.size(), 1U);
  EXPECT_EQ(heard.steps[0].out, "stops\n");
  EXPECT_EQ(heard.outcome(), Outcome::kTimedOut);
  EXPECT_EQ(heard.steps[0].exit_code(), 124);
}

TEST(Hostile, OutputAfterTheEndOfAStepIsNobodys) {
  const WorkFolder folder;
  AgentHost host;
  host.BeginProject({.steps = {"(while :; do echo late; sleep 0.01; done) & echo one", "sleep 0.3; echo two"},
                     .directory = folder.path(),
                     .stream_cap = 100'000},
                    {}, kAmple);
  const Heard heard = host.Hear();
  ASSERT_EQ(heard.steps.size(), 2U);
  EXPECT_NE(heard.steps[0].out.find("one\n"), std::string::npos);
  EXPECT_EQ(heard.steps[1].out, "two\n");
}

}  // namespace
}  // namespace plimsoll::guest
