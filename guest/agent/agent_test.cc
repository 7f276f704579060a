// Snippets and the life of the agent, seen from the host of the built program.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/sha256.h"
#include "guest/agent/exit_status.h"
#include "guest/agent/testing/agent_host.h"

namespace plimsoll::guest {
namespace {

namespace agent = frames::agent;
using agent::Kind;
using agent::Outcome;
using agent::Type;
using std::chrono::milliseconds;

constexpr milliseconds kAmple(20'000);

agent::Plan ShellPlan(std::uint64_t cap = 65536) { return {.argv = {"sh"}, .stream_cap = cap}; }

Heard RunShell(std::string_view script, agent::Plan plan = ShellPlan(), milliseconds budget = kAmple) {
  AgentHost host;
  host.BeginSnippet(std::move(plan), script, budget);
  Heard heard = host.Hear();
  heard.steps.resize(1);
  return heard;
}

std::uint64_t PeakResidentKiB(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::strtoull(line.c_str() + 6, nullptr, 10);
    }
  }
  return 0;
}

// Processor time so far, in ticks of the clock: fields 14 and 15 of /proc/<pid>/stat.
std::uint64_t Ticks(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string field;
  std::uint64_t ticks = 0;
  for (int number = 1; number <= 15 && stat >> field; ++number) {
    ticks += number >= 14 ? std::strtoull(field.c_str(), nullptr, 10) : 0;
  }
  return ticks;
}

bool EndedWith(AgentHost& host, ExitStatus expected) {
  const auto end = host.Wait();
  return end && end->how == os::ExitStatus::How::kExited && end->value == static_cast<int>(expected);
}

TEST(Agent, SaysWhoItIs) {
  AgentHost host;
  ASSERT_TRUE(host.ready());
  EXPECT_EQ(host.identity().pid, host.pid());
  std::ifstream file(ProgramFolder() + "/plimsoll-guest", std::ios::binary);
  std::stringstream program;
  program << file.rdbuf();
  EXPECT_EQ(host.identity().sha256, base::Sha256Hex(program.str()));
  EXPECT_FALSE(host.identity().version.empty());
}

TEST(Agent, RunsASnippet) {
  const Heard heard = RunShell("printf out; printf err >&2; exit 3");
  EXPECT_EQ(heard.outcome(), Outcome::kCompleted);
  EXPECT_EQ(heard.done->detail, "");
  ASSERT_EQ(heard.steps.size(), 1U);
  EXPECT_TRUE(heard.steps[0].started);
  EXPECT_EQ(heard.steps[0].out, "out");
  EXPECT_EQ(heard.steps[0].err, "err");
  ASSERT_TRUE(heard.steps[0].exited);
  EXPECT_EQ(heard.steps[0].exited->exit_code, 3);
  EXPECT_EQ(heard.steps[0].exited->signal, 0);
  EXPECT_FALSE(heard.steps[0].exited->timed_out || heard.steps[0].exited->stdout_cut ||
               heard.steps[0].exited->stderr_cut);
}

// The interpreter is there before the code, whose first byte it gets after the beginning: what a waiting sandbox is.
TEST(Agent, HoldsAnInterpreterThatWaitsForItsCode) {
  AgentHost host;
  host.OpenCall(Kind::kSnippet);
  host.SendPlan({.argv = {"sh"}, .environment = GuestEnvironment(), .stream_cap = 65536});
  host.SendFiles({{"", "echo ran; cat /proc/self/stat"}});
  std::this_thread::sleep_for(milliseconds(1500));
  EXPECT_TRUE(host.Ping("still waiting"));
  Heard heard = host.Hear(milliseconds(50));
  EXPECT_TRUE(heard.steps.empty());
  EXPECT_FALSE(heard.done);
  host.SendBegin(kAmple);
  heard = host.Hear();
  ASSERT_EQ(heard.steps.size(), 1U);
  EXPECT_TRUE(heard.steps[0].out.starts_with("ran\n"));
  // Time is counted from the beginning, not from the plan.
  EXPECT_LT(heard.steps[0].exited->duration, milliseconds(1500));
}

TEST(Agent, RunsCodeUnderNode) {
  AgentHost host;
  agent::Plan plan{.argv = {"node", "-"}, .environment = GuestEnvironment(), .stream_cap = 65536};
  host.BeginSnippet(plan, "const x = await Promise.resolve(6 * 7); console.log('node', x); process.exit(2)", kAmple);
  const Heard heard = host.Hear();
  if (heard.outcome() == Outcome::kSetupFailed) {
    GTEST_SKIP() << "no node on the PATH of guests: " << heard.done->detail;
  }
  ASSERT_EQ(heard.steps.size(), 1U);
  // Node without --input-type decides by itself whether top-level await is syntax; either way its own rules hold.
  const bool is_module = heard.steps[0].out == "node 42\n" && heard.steps[0].exit_code() == 2;
  const bool is_script = heard.steps[0].exit_code() == 1 && heard.steps[0].err.find("await") != std::string::npos;
  EXPECT_TRUE(is_module || is_script) << heard.steps[0].out << heard.steps[0].err;
}

TEST(Agent, P38_ReportsTheExitCodeOrTheSignal) {
  EXPECT_EQ(RunShell("exit 2").steps[0].exit_code(), 2);
  EXPECT_EQ(RunShell("exit 255").steps[0].exit_code(), 255);
  for (const int signal : {9, 15, 11, 6, 34}) {
    const Heard heard = RunShell("kill -" + std::to_string(signal) + " $$; sleep 5");
    EXPECT_EQ(heard.steps[0].exit_code(), 128 + signal);
    EXPECT_EQ(heard.steps[0].exited->signal, signal);
    EXPECT_EQ(heard.outcome(), Outcome::kCompleted);
  }
}

TEST(Agent, P53_GivesEveryByteBackAsItWas) {
  const Heard heard = RunShell("exec plimsoll-guest-tricks bytes");
  ASSERT_EQ(heard.steps[0].out.size(), 256U);
  ASSERT_EQ(heard.steps[0].err.size(), 256U);
  for (int value = 0; value < 256; ++value) {
    EXPECT_EQ(heard.steps[0].out[static_cast<std::size_t>(value)], static_cast<char>(value));
    EXPECT_EQ(heard.steps[0].err[static_cast<std::size_t>(value)], static_cast<char>(255 - value));
  }
}

TEST(Agent, XB10_KeepsALastLineWithoutItsEnd) {
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(RunShell("printf 'one\\ntwo'").steps[0].out, "one\ntwo");
  }
}

TEST(Agent, P16_CutsAStreamPastItsCapAndNotAtIt) {
  for (const auto& [bytes, cut] : {std::pair{1000, false}, {1001, true}, {65536 + 1000, true}}) {
    for (const int fd : {1, 2}) {
      const Heard heard = RunShell(
          "exec plimsoll-guest-tricks fill " + std::to_string(bytes) + " " + std::to_string(fd), ShellPlan(1000));
      const StepHeard& step = heard.steps[0];
      EXPECT_EQ(fd == 1 ? step.out.size() : step.err.size(), 1000U) << bytes;
      ASSERT_TRUE(step.exited);
      EXPECT_EQ(step.exit_code(), 0);
      EXPECT_EQ(step.exited->stdout_cut, cut && fd == 1) << bytes;
      EXPECT_EQ(step.exited->stderr_cut, cut && fd == 2) << bytes;
    }
  }
}

TEST(Agent, LetsNothingCrossUnderACapOfZero) {
  const Heard heard = RunShell("echo x; exit 4", ShellPlan(0));
  EXPECT_EQ(heard.steps[0].out, "");
  EXPECT_TRUE(heard.steps[0].exited->stdout_cut);
  EXPECT_EQ(heard.steps[0].exit_code(), 4);
}

TEST(Agent, P52_DrainsAFloodOnBothStreamsAndStaysSmall) {
  AgentHost host;
  host.BeginSnippet(ShellPlan(),
                    "plimsoll-guest-tricks fill 200000000 2 & plimsoll-guest-tricks fill 200000000; wait; exit 3",
                    milliseconds(60'000));
  const Heard heard = host.Hear(milliseconds(60'000));
  ASSERT_EQ(heard.steps.size(), 1U);
  EXPECT_EQ(heard.steps[0].out.size(), 65536U);
  EXPECT_EQ(heard.steps[0].err.size(), 65536U);
  EXPECT_TRUE(heard.steps[0].exited->stdout_cut && heard.steps[0].exited->stderr_cut);
  EXPECT_EQ(heard.steps[0].exit_code(), 3);
  EXPECT_LT(PeakResidentKiB(host.pid()), 4096U);
}

TEST(Agent, XB4_LosesNoByteToASlowHostAndStaysSmall) {
  constexpr std::size_t kBytes = 3'000'000;
  AgentHost host;
  host.BeginSnippet(ShellPlan(kBytes), "exec plimsoll-guest-tricks fill 3000000", kAmple);
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_LT(PeakResidentKiB(host.pid()), 4096U);
  const Heard heard = host.Hear();
  EXPECT_EQ(heard.steps[0].out, std::string(kBytes, 'f'));
  EXPECT_FALSE(heard.steps[0].exited->stdout_cut);
  EXPECT_EQ(heard.steps[0].exit_code(), 0);
}

TEST(Agent, CarriesAMillionTinyWrites) {
  const Heard heard =
      RunShell("exec plimsoll-guest-tricks tiny-writes 1000000", ShellPlan(2'000'000), milliseconds(60'000));
  EXPECT_EQ(heard.steps[0].out, std::string(1'000'000, 'x'));
}

TEST(Agent, DoesNotWaitForAGrandchildThatHoldsThePipes) {
  const Heard heard = RunShell("sleep " + Mark(4325) + " & sleep 0.3; echo started");
  EXPECT_EQ(heard.steps[0].out, "started\n");
  EXPECT_EQ(heard.steps[0].exit_code(), 0);
  EXPECT_LT(heard.took, milliseconds(2000));
  EXPECT_TRUE(BecomesProcessesWith(Mark(4325), 0));
}

TEST(Agent, KeepsWhatWasWrittenBeforeTheStreamsWereClosed) {
  const Heard heard = RunShell("echo before; exec 1>&- 2>&-; sleep 0.2; exit 5");
  EXPECT_EQ(heard.steps[0].out, "before\n");
  EXPECT_EQ(heard.steps[0].exit_code(), 5);
}

TEST(Agent, FailsTheSetupWhenThereIsNoInterpreter) {
  for (const char* name : {"no-such-interpreter", "/no/such/file", "/etc/passwd", "/tmp"}) {
    const Heard heard = RunShell("true", {.argv = {name}, .stream_cap = 1000});
    EXPECT_EQ(heard.outcome(), Outcome::kSetupFailed) << name;
    EXPECT_EQ(heard.done->detail, "the interpreter could not be started: no such program on PATH");
    EXPECT_FALSE(heard.steps[0].started) << name;
    EXPECT_FALSE(heard.steps[0].exited) << name;
  }
  const Heard heard = RunShell("true", {.argv = {"sh"}, .directory = "/no/such/directory"});
  EXPECT_EQ(heard.outcome(), Outcome::kSetupFailed);
  EXPECT_EQ(heard.done->detail, "the interpreter could not be started: start it: ENOENT");
}

TEST(Agent, FailsTheSetupWhenTheInterpreterEndsBeforeItsCode) {
  const Heard heard = RunShell("echo never", {.argv = {"true"}, .stream_cap = 1000});
  // A beginning that is there before the end was noticed makes it the guest's own; the host learns which it was.
  if (heard.outcome() == Outcome::kSetupFailed) {
    EXPECT_FALSE(heard.steps[0].started);
  }
  AgentHost host;
  host.OpenCall(Kind::kSnippet);
  host.SendPlan({.argv = {"false"}, .environment = GuestEnvironment()});
  const Heard early = host.Hear();
  EXPECT_EQ(early.outcome(), Outcome::kSetupFailed);
  EXPECT_EQ(early.done->detail, "the interpreter ended before it was given code");
  EXPECT_TRUE(early.steps.empty());
  // The host may have sent the rest already; it is no breach.
  host.SendFiles({{"", "x"}});
  host.SendBegin(kAmple);
  EXPECT_TRUE(host.Ping("there"));
}

// The ends of the interpreter's pipes are ready for ever once it is gone.
TEST(Agent, IsIdleAfterACallThatEndedBeforeItsBeginning) {
  AgentHost host;
  host.OpenCall(Kind::kSnippet);
  host.SendPlan({.argv = {"false"}, .environment = GuestEnvironment()});
  ASSERT_EQ(host.Hear().outcome(), Outcome::kSetupFailed);
  const std::uint64_t before = Ticks(host.pid());
  std::this_thread::sleep_for(milliseconds(1000));
  EXPECT_LE(Ticks(host.pid()) - before, 1U);
}

TEST(Agent, GivesAGuestTheEnvironmentOfThePlanAndWhatIsMissingOfIt) {
  const Heard heard =
      RunShell("exec env", {.argv = {"sh"}, .environment = {"PATH=/usr/bin:/bin", "A=b c"}, .stream_cap = 65536});
  EXPECT_NE(heard.steps[0].out.find("A=b c\n"), std::string::npos) << heard.steps[0].out;
  EXPECT_NE(heard.steps[0].out.find("HOME=/"), std::string::npos);
  EXPECT_NE(heard.steps[0].out.find("HOSTNAME="), std::string::npos);
  EXPECT_EQ(heard.steps[0].out.find("SECRET_OF_THE_HOST"), std::string::npos);
  const Heard own =
      RunShell("echo $HOME $HOSTNAME",
               {.argv = {"sh"}, .environment = {"PATH=/bin", "HOME=/x", "HOSTNAME=h"}, .stream_cap = 100});
  EXPECT_EQ(own.steps[0].out, "/x h\n");
}

TEST(Agent, StartsAGuestInTheDirectoryOfThePlan) {
  const WorkFolder folder;
  EXPECT_EQ(RunShell("pwd", {.argv = {"sh"}, .directory = folder.path(), .stream_cap = 4096}).steps[0].out,
            folder.path() + "\n");
}

// AGT-2: three streams of its own, no signal blocked or ignored, a session of its own, nothing of the agent's.
TEST(Agent, AGT2_GivesAGuestNothingButItsStreams) {
  const Heard heard = RunShell(
      "ls /proc/self/fd; readlink /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 | cut -c1-5;"
      "grep -E '^Sig(Blk|Ign)' /proc/self/status; grep '^NSsid' /proc/$$/status | wc -l;"
      "test \"$(cut -d' ' -f6 /proc/$$/stat)\" = $$ && echo session");
  // The fourth is the folder that ls has open.
  EXPECT_EQ(heard.steps[0].out,
            "0\n1\n2\n3\npipe:\npipe:\npipe:\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n1\nsession\n");
}

TEST(Agent, AnswersAPingWhileAGuestRunsAndAfterIt) {
  AgentHost host;
  EXPECT_TRUE(host.Ping(""));
  host.BeginSnippet(ShellPlan(), "while :; do :; done", milliseconds(500));
  EXPECT_TRUE(host.Ping(std::string(agent::kMaxPing, 'n')));
  EXPECT_EQ(host.Hear().outcome(), Outcome::kTimedOut);
  EXPECT_TRUE(host.Ping("after"));
}

TEST(Agent, EndsWhenTheHostIsGone) {
  AgentHost idle;
  idle.HangUp();
  EXPECT_TRUE(EndedWith(idle, ExitStatus::kHostGone));
  AgentHost running;
  running.BeginSnippet(ShellPlan(), "sleep " + Mark(4326) + " & sleep " + Mark(4326), kAmple);
  ASSERT_TRUE(ReachesProcessesWith(Mark(4326), 2));
  running.HangUp();
  EXPECT_TRUE(EndedWith(running, ExitStatus::kHostGone));
  EXPECT_EQ(ProcessesWith(Mark(4326)), 0);
}

// AGT-5: every way in which a host may break the protocol ends the agent and what it started.
class Breach : public testing::TestWithParam<std::pair<const char*, void (*)(AgentHost&)>> {};

TEST_P(Breach, P75_EndsTheAgentAndItsGuests) {
  AgentHost host;
  host.OpenCall(Kind::kSnippet);
  host.SendPlan({.argv = {"sleep", Mark(4327)}, .environment = GuestEnvironment()});
  ASSERT_TRUE(ReachesProcessesWith(Mark(4327), 1));
  GetParam().second(host);
  EXPECT_TRUE(EndedWith(host, ExitStatus::kBadFrame));
  EXPECT_EQ(ProcessesWith(Mark(4327)), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Agent, Breach,
    testing::Values(
        std::pair{"ChangedByte",
                  +[](AgentHost& host) {
                    std::string frame = host.Made(Type::kPing, agent::kControl, "x");
                    frame[20] = static_cast<char>(frame[20] ^ 1);
                    host.SendRaw(frame);
                  }},
        std::pair{"RepeatedFrame",
                  +[](AgentHost& host) {
                    const std::string frame = host.Made(Type::kPing, agent::kControl, "x");
                    host.SendRaw(frame);
                    host.SendRaw(frame);
                  }},
        std::pair{"SkippedFrame",
                  +[](AgentHost& host) {
                    static_cast<void>(host.Made(Type::kPing, agent::kControl, "x"));
                    host.Send(Type::kPing, agent::kControl, "y");
                  }},
        std::pair{"TooLong", +[](AgentHost& host) { host.SendRaw("\xff\xff\xff\xff"); }},
        std::pair{"TypeOfAnAgent", +[](AgentHost& host) { host.Send(Type::kDone, AgentHost::kCall, "\1\1"); }},
        std::pair{"UnknownType", +[](AgentHost& host) { host.Send(Type{'z'}, AgentHost::kCall, "x"); }},
        std::pair{"SecondPlan",
                  +[](AgentHost& host) { host.SendPlan({.argv = {"sh"}, .environment = GuestEnvironment()}); }},
        std::pair{"PlanThatIsNone", +[](AgentHost& host) { host.Send(Type::kPlan, AgentHost::kCall, "{}"); }},
        std::pair{"BeginningWithoutCode", +[](AgentHost& host) { host.SendBegin(kAmple); }},
        std::pair{"BytesOfNoFile", +[](AgentHost& host) { host.Send(Type::kPiece, AgentHost::kCall, "x"); }},
        std::pair{"CodeWithAPath", +[](AgentHost& host) { host.SendFiles({{"a", "x"}}); }},
        std::pair{"MoreBytesThanAnnounced",
                  +[](AgentHost& host) {
                    host.Send(Type::kFiles, AgentHost::kCall, agent::EncodeFiles({{"", 1}}));
                    host.Send(Type::kPiece, AgentHost::kCall, "xy");
                  }},
        std::pair{"FewerBytesThanAnnounced",
                  +[](AgentHost& host) {
                    host.Send(Type::kFiles, AgentHost::kCall, agent::EncodeFiles({{"", 2}}));
                    host.Send(Type::kPiece, AgentHost::kCall, "x");
                    host.SendBegin(kAmple);
                  }},
        std::pair{"SecondCall",
                  +[](AgentHost& host) {
                    const agent::Key key(host.call_key());
                    host.Send(Type::kKey, agent::kControl, agent::EncodeOpenCall({.channel = 9, .key = key}));
                  }}),
    [](const auto& test) { return std::string(test.param.first); });

TEST(Agent, EndsOnAKindItDoesNotServe) {
  for (const Kind kind : {Kind::kModule, Kind::kJavaScriptCell, Kind::kPythonCell, Kind::kProject}) {
    AgentHost host;
    host.OpenCall(kind);
    host.SendPlan({.argv = {"sh"}, .environment = GuestEnvironment()});
    EXPECT_TRUE(EndedWith(host, ExitStatus::kBadFrame));
  }
}

}  // namespace
}  // namespace plimsoll::guest
