#include "providers/docker/container_sandbox.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "os/system_clock.h"
#include "os/system_random.h"
#include "providers/docker/testing/memory_engine.h"
#include "providers/docker/testing/puppet_agent.h"

// A call from the host's side, against agents that keep the protocol and agents that do not.
namespace plimsoll::docker {
namespace {

using frames::agent::Kind;
using frames::agent::Outcome;
using frames::agent::Type;
using How = CallEnd::How;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

ContainerState StateOf(ContainerState::Status status, std::int64_t exit_code) {
  ContainerState state{.status = status, .runtime = {}, .image = {}};
  state.exit_code = exit_code;
  return state;
}

// A sandbox whose agent is played by `script`, on a thread of its own, from the key on.
struct Stage {
  using Script = std::function<void(PuppetAgent&)>;

  explicit Stage(Script script) {
    auto pair = os::MakeSocketPair();
    auto made = std::make_shared<State>();
    engine = std::make_shared<MemoryEngine>();
    id = engine->Add({.name = "plimsoll-0"});
    made->engine = engine;
    made->agent_sha256 = PuppetAgent::kSha256;
    sandbox = std::make_unique<ContainerSandbox>(
        ContainerSandbox::Facts{.name = "plimsoll-0", .role = Role::kProject, .state = made, .ends = {}},
        std::move(os::Flag::Create()).value(), clock, random);
    sandbox->Created(id);
    sandbox->Connect({.socket = std::move(pair->ours), .early = {}});
    player = std::jthread([script = std::move(script), end = std::move(pair->theirs)]() mutable {
      PuppetAgent puppet(std::move(end));
      script(puppet);
    });
  }

  base::Status Ready() { return sandbox->AwaitReady(Within(seconds(10))); }
  // Ready, prepared, run.
  CallEnd Call(milliseconds budget = seconds(10), milliseconds grace = seconds(1), std::stop_token stop = {}) {
    EXPECT_TRUE(Ready());
    EXPECT_TRUE(sandbox->Prepare(Kind::kProject, SmallProjectPlan(), Within(seconds(10))));
    return sandbox->Run({{.path = "a", .content = "x"}}, steady_clock::now() + budget, grace, std::move(stop));
  }
  static http::Bounds Within(milliseconds time) { return {.deadline = steady_clock::now() + time}; }

  os::SystemClock clock;
  os::SystemRandom random;
  std::shared_ptr<MemoryEngine> engine;
  std::string id;  // of its one container
  std::jthread player;
  std::unique_ptr<ContainerSandbox> sandbox;  // goes first, which ends what the player hears
};

// Becomes ready and hears the call begin, then goes on with `rest`.
Stage::Script Begun(Stage::Script rest) {
  return [rest = std::move(rest)](PuppetAgent& puppet) {
    puppet.TakeKey();
    puppet.Ready();
    puppet.Hear(Type::kBegin);
    rest(puppet);
  };
}
// As Begun; afterwards it stays until the host is done with it.
Stage::Script BegunAndStays(Stage::Script rest) {
  return Begun([rest = std::move(rest)](PuppetAgent& puppet) {
    rest(puppet);
    while (puppet.HearAny(seconds(10))) {
    }
  });
}

void SayAll(PuppetAgent& puppet, const std::vector<SaidFrame>& frames) {
  for (const SaidFrame& frame : frames) {
    puppet.Say(frame);
  }
}

TEST(ContainerSandbox, CarriesACallToItsEnd) {
  Stage stage(BegunAndStays([](PuppetAgent& puppet) {
    SayAll(puppet, {Started(0), Stdout(0, "out"), Exit(0, 3), Done(Outcome::kCompleted)});
  }));
  const CallEnd end = stage.Call();
  EXPECT_EQ(end.how, How::kDone) << end.detail;
  EXPECT_TRUE(end.exit_heard);
  EXPECT_EQ(stage.sandbox->transcript().steps().at(0).stdout_bytes, "out");
}

TEST(ContainerSandbox, SendsPlanFilesAndBudgetOnlyInThisOrder) {
  std::promise<std::vector<Type>> order;
  Stage stage([&](PuppetAgent& puppet) {
    puppet.TakeKey();
    puppet.Ready();
    std::vector<Type> heard;
    while (const auto type = puppet.HearAny(milliseconds(300))) {
      heard.push_back(*type);
    }
    order.set_value(heard);
  });
  stage.engine->SetState(stage.id, StateOf(ContainerState::Status::kExited, 0));
  stage.Call(seconds(2));
  EXPECT_EQ(order.get_future().get(),
            (std::vector<Type>{Type::kKey, Type::kPlan, Type::kFiles, Type::kPiece, Type::kBegin}));
}

TEST(ContainerSandbox, AnAgentThatIsNotReadyInTimeOrSaysSomethingElseIsAFault) {
  Stage silent([](PuppetAgent& puppet) {
    std::this_thread::sleep_for(milliseconds(200));
    puppet.End();
  });
  EXPECT_NE(base::FaultIn(silent.sandbox->AwaitReady(Stage::Within(milliseconds(50)))), nullptr);
  Stage other([](PuppetAgent& puppet) {
    puppet.TakeKey();
    puppet.Say(Type::kPong, frames::agent::kControl, "");
  });
  EXPECT_NE(base::FaultIn(other.Ready()), nullptr);
  Stage gone([](PuppetAgent& puppet) { puppet.TakeKey(); });
  EXPECT_NE(base::FaultIn(gone.Ready()), nullptr);
}

TEST(ContainerSandbox, AnAgentOfAnotherProgramThanThePreflightSawIsAFault) {
  Stage stage([](PuppetAgent& puppet) {
    puppet.TakeKey();
    puppet.Ready(std::string(64, 'b'));
  });
  const base::Status ready = stage.Ready();
  ASSERT_NE(base::FaultIn(ready), nullptr);
  EXPECT_NE(base::FaultIn(ready)->detail.find("not the program that the preflight saw"), std::string::npos);
}

TEST(ContainerSandbox, APingIsAnsweredWithItsOwnNonceAlone) {
  const auto answers = [](auto reply) {
    Stage stage([reply](PuppetAgent& puppet) {
      puppet.TakeKey();
      puppet.Ready();
      reply(puppet, puppet.Hear(Type::kPing));
      puppet.HearAny(seconds(2));
    });
    return stage.Ready() && stage.sandbox->Ping(Stage::Within(milliseconds(500)));
  };
  EXPECT_TRUE(answers([](PuppetAgent& p, const std::string& nonce) { p.Say(Type::kPong, 0, nonce); }));
  EXPECT_FALSE(answers([](PuppetAgent& p, const std::string&) { p.Say(Type::kPong, 0, std::string(32, 'x')); }));
  EXPECT_FALSE(answers([](PuppetAgent& p, const std::string&) { p.Ready(); }));
  EXPECT_FALSE(answers([](PuppetAgent&, const std::string&) {}));
  EXPECT_FALSE(answers([](PuppetAgent& p, const std::string&) { p.End(); }));
}

// Every way of not being authentic ends the call: providers-local.md 7.6.
TEST(ContainerSandbox, P75_AFrameThatIsNotAuthenticEndsTheCall) {
  const auto breaks = [](auto say) {
    Stage stage(BegunAndStays(say));
    return stage.Call().how == How::kViolation;
  };
  const auto forged = [](auto change) {
    return [change](PuppetAgent& puppet) {
      std::string frame = puppet.Made(Type::kStarted, 1, frames::agent::EncodeStarted(0));
      change(frame);
      puppet.Write(frame);
    };
  };
  EXPECT_FALSE(breaks([](PuppetAgent& p) { SayAll(p, {Started(0), Exit(0, 1), Done(Outcome::kCompleted)}); }));
  EXPECT_TRUE(breaks(forged([](std::string& frame) { frame[4] = 'x'; })));        // another type
  EXPECT_TRUE(breaks(forged([](std::string& frame) { frame[8] = '\2'; })));       // another channel
  EXPECT_TRUE(breaks(forged([](std::string& frame) { frame[16] = '\1'; })));      // another counter
  EXPECT_TRUE(breaks(forged([](std::string& frame) { frame[20] ^= '\1'; })));     // another body
  EXPECT_TRUE(breaks(forged([](std::string& frame) { frame.back() ^= '\1'; })));  // another tag
  EXPECT_TRUE(breaks(forged([](std::string& frame) { frame[0] = '\x7f'; })));     // 2 GiB long
  EXPECT_TRUE(breaks(forged([](std::string& frame) { frame += frame; })));        // said twice
  EXPECT_TRUE(breaks([](PuppetAgent& p) {                                         // one was left out
    static_cast<void>(p.Made(Type::kStarted, 1, frames::agent::EncodeStarted(0)));
    p.Say(Started(0));
  }));
  EXPECT_TRUE(breaks([](PuppetAgent& p) { p.Write("plimsoll-started:0123456789abcdef\n"); }));
  EXPECT_TRUE(breaks([](PuppetAgent& p) { p.Say(Type::kPong, 0, "unasked"); }));
  EXPECT_TRUE(breaks([](PuppetAgent& p) { p.Say(Stdout(0, "before a start")); }));
  EXPECT_TRUE(breaks([](PuppetAgent& p) { p.WriteRaw(std::string(8, '\xff')); }));  // no frame of the engine
}

TEST(ContainerSandbox, WhatTheAgentWritesOnItsStderrIsNobodysOutputAndBounded) {
  Stage some(BegunAndStays([](PuppetAgent& puppet) {
    puppet.Write("of the agent", 2);
    SayAll(puppet, {Started(0), Exit(0, 1), Done(Outcome::kCompleted)});
  }));
  EXPECT_EQ(some.Call().how, How::kDone);
  EXPECT_EQ(some.sandbox->agent_stderr_bytes(), 12U);
  EXPECT_EQ(some.sandbox->transcript().steps().at(0).stderr_bytes, "");
  Stage flood(BegunAndStays([](PuppetAgent& puppet) { puppet.Write(std::string(70'000, 'x'), 2); }));
  EXPECT_EQ(flood.Call().how, How::kViolation);
}

TEST(ContainerSandbox, ASilentAgentIsToldToCancelAndThenGivenUp) {
  std::promise<bool> told;
  Stage stage(Begun([&](PuppetAgent& puppet) {
    puppet.Say(Started(0));
    told.set_value(frames::agent::ParseChannel(puppet.Hear(Type::kCancel)).has_value());
    while (puppet.HearAny(seconds(10))) {
    }
  }));
  const auto begin = steady_clock::now();
  const CallEnd end = stage.Call(milliseconds(200), milliseconds(200));
  const auto took = steady_clock::now() - begin;
  EXPECT_EQ(end.how, How::kSilent);
  EXPECT_GE(took, milliseconds(400));
  EXPECT_LT(took, seconds(5));
  EXPECT_TRUE(told.get_future().get());
  EXPECT_TRUE(stage.sandbox->transcript().started());
  stage.sandbox.reset();
}

TEST(ContainerSandbox, ATalkativeAgentCannotPutOffTheDeadline) {
  Stage stage(Begun([](PuppetAgent& puppet) {
    puppet.Say(Started(0));
    const auto until = steady_clock::now() + seconds(2);
    while (steady_clock::now() < until) {
      puppet.Write("", 1);  // an empty piece: well formed, and says nothing
    }
  }));
  const auto begin = steady_clock::now();
  EXPECT_EQ(stage.Call(milliseconds(100), milliseconds(100)).how, How::kSilent);
  EXPECT_LT(steady_clock::now() - begin, seconds(1));
}

TEST(ContainerSandbox, AReportWithinTheGraceIsTaken) {
  Stage stage(BegunAndStays([](PuppetAgent& puppet) {
    puppet.Say(Started(0));
    puppet.Hear(Type::kCancel);
    SayAll(puppet, {TimedOut(0), Done(Outcome::kTimedOut)});
  }));
  EXPECT_EQ(stage.Call(milliseconds(100), seconds(5)).how, How::kDone);
}

TEST(ContainerSandbox, ACallerWhoLeavesEndsTheCallAtOnce) {
  std::stop_source stop;
  Stage stage(BegunAndStays([&](PuppetAgent& puppet) {
    puppet.Say(Started(0));
    stop.request_stop();
  }));
  const auto begin = steady_clock::now();
  EXPECT_EQ(stage.Call(seconds(10), seconds(1), stop.get_token()).how, How::kCanceled);
  EXPECT_LT(steady_clock::now() - begin, seconds(2));
}

TEST(ContainerSandbox, WhatBecameOfAContainerIsForTheEngineToSay) {
  const auto ended = [](std::optional<ContainerState> state) {
    Stage stage(Begun([](PuppetAgent& puppet) { puppet.Say(Started(0)); }));
    stage.engine->SetState(stage.id, std::move(state));
    return stage.Call();
  };
  const CallEnd exited = ended(StateOf(ContainerState::Status::kExited, 137));
  EXPECT_EQ(exited.how, How::kContainerEnded);
  ASSERT_TRUE(exited.container);
  EXPECT_EQ(exited.container->exit_code, 137);
  EXPECT_EQ(ended(std::nullopt).how, How::kLost);
  EXPECT_EQ(ended(StateOf(ContainerState::Status::kRunning, 0)).how, How::kLost);
}

TEST(ContainerSandbox, AnEndThatWasSaidBeforeTheStreamEndedCounts) {
  Stage stage(Begun([](PuppetAgent& puppet) {
    SayAll(puppet, {Started(0), Exit(0, 0), Started(1), Exit(1, 4), Done(Outcome::kCompleted)});
  }));
  EXPECT_EQ(stage.Call().how, How::kDone);
}

// --- kept: many calls, and what is between them

using Verdict = frames::agent::Swept::Verdict;

void SayOn(PuppetAgent& puppet, std::uint32_t channel, const std::vector<SaidFrame>& frames) {
  for (const auto& [type, body] : frames) {
    puppet.Say(type, channel, body);
  }
}

CallEnd NextCall(Stage& stage, milliseconds budget = seconds(10), std::stop_token stop = {}) {
  EXPECT_TRUE(stage.sandbox->Prepare(Kind::kSnippet, SmallSnippetPlan(), Stage::Within(seconds(10))));
  return stage.sandbox->Run({{.path = "", .content = "x"}}, steady_clock::now() + budget, milliseconds(200),
                            std::move(stop));
}

TEST(ContainerSandbox, ServesManyCallsEachOnAChannelOfItsOwn) {
  std::promise<std::vector<std::string>> openings;
  Stage stage([&](PuppetAgent& puppet) {
    puppet.TakeKey();
    puppet.Ready();
    std::vector<std::string> heard;
    for (std::uint32_t call = 1; call <= 3; ++call) {
      heard.push_back(puppet.Hear(Type::kKey));
      puppet.Hear(Type::kBegin);
      SayOn(puppet, call, {Started(0), Stdout(0, std::to_string(call)), Exit(0, 1), Done(Outcome::kCompleted)});
      const auto order = frames::agent::ParseSweep(puppet.Hear(Type::kSweep));
      puppet.Say(Type::kSwept, frames::agent::kControl,
                 frames::agent::EncodeSwept({.verdict = Verdict::kClean, .used = order->disk_budget}));
    }
    openings.set_value(std::move(heard));
    puppet.HearAny(seconds(10));
  });
  ASSERT_TRUE(stage.Ready());
  for (std::uint64_t call = 1; call <= 3; ++call) {
    const CallEnd end = NextCall(stage);
    EXPECT_EQ(end.how, How::kDone) << end.detail;
    EXPECT_TRUE(end.exit_heard);
    EXPECT_EQ(stage.sandbox->transcript().steps().at(0).stdout_bytes, std::to_string(call));
    const auto swept = stage.sandbox->Sweep({.disk_budget = call}, Stage::Within(seconds(10)));
    ASSERT_TRUE(swept);
    EXPECT_EQ(*swept, (frames::agent::Swept{.verdict = Verdict::kClean, .used = call}));
  }
  const auto heard = openings.get_future().get();
  for (std::uint32_t call = 1; call <= 3; ++call) {
    const auto opened = frames::agent::ParseOpenCall(heard[call - 1]);
    EXPECT_EQ(opened->channel, call);
    EXPECT_NE(opened->key.bytes(), frames::agent::ParseOpenCall(heard[call % 3])->key.bytes());
  }
}

TEST(ContainerSandbox, ACallThatItsCallerLeftIsSettledAndFollowedByAnother) {
  Stage stage([](PuppetAgent& puppet) {
    puppet.TakeKey();
    puppet.Ready();
    puppet.Hear(Type::kBegin);
    puppet.Say(Started(0));
    puppet.Hear(Type::kCancel);
    SayOn(puppet, 1, {Stdout(0, "late"), TimedOut(0), Done(Outcome::kTimedOut)});
    puppet.Hear(Type::kBegin);
    SayOn(puppet, 2, {Started(0), Exit(0, 0), Done(Outcome::kCompleted)});
    puppet.HearAny(seconds(10));
  });
  ASSERT_TRUE(stage.Ready());
  std::stop_source stop;
  std::jthread leaver([&] {
    std::this_thread::sleep_for(milliseconds(100));
    stop.request_stop();
  });
  EXPECT_EQ(NextCall(stage, seconds(10), stop.get_token()).how, How::kCanceled);
  EXPECT_TRUE(stage.sandbox->Settle(Stage::Within(seconds(10))));
  EXPECT_TRUE(stage.sandbox->transcript().done());
  EXPECT_EQ(NextCall(stage).how, How::kDone);
}

TEST(ContainerSandbox, ACallThatTheAgentDoesNotEndIsNotSettled) {
  Stage silent(BegunAndStays([](PuppetAgent& puppet) { puppet.Say(Started(0)); }));
  ASSERT_TRUE(silent.Ready());
  EXPECT_EQ(NextCall(silent, milliseconds(100)).how, How::kSilent);
  EXPECT_NE(base::FaultIn(silent.sandbox->Settle(Stage::Within(milliseconds(100)))), nullptr);
  Stage broken(BegunAndStays([](PuppetAgent& puppet) {
    puppet.Hear(Type::kCancel);  // at the deadline
    puppet.Hear(Type::kCancel);  // to settle it
    puppet.Say(Stdout(0, "of a step that never began"));
  }));
  ASSERT_TRUE(broken.Ready());
  EXPECT_EQ(NextCall(broken, milliseconds(100)).how, How::kSilent);
  EXPECT_NE(base::FaultIn(broken.sandbox->Settle(Stage::Within(seconds(10)))), nullptr);
}

TEST(ContainerSandbox, ASweepWithoutAVerdictIsAFault) {
  const auto sweeps = [](auto answer) {
    Stage stage([answer](PuppetAgent& puppet) {
      puppet.TakeKey();
      puppet.Ready();
      puppet.Hear(Type::kSweep);
      answer(puppet);
      puppet.HearAny(seconds(2));
    });
    return stage.Ready() && stage.sandbox->Sweep({}, Stage::Within(milliseconds(500)));
  };
  const auto says = [](std::string body) {
    return [body](PuppetAgent& p) { p.Say(Type::kSwept, frames::agent::kControl, body); };
  };
  EXPECT_TRUE(sweeps(says(frames::agent::EncodeSwept({.verdict = Verdict::kUnproven}))));
  EXPECT_FALSE(sweeps(says(std::string(1, '\2') + std::string(8, '\0'))));
  EXPECT_FALSE(sweeps([](PuppetAgent& p) { p.Say(Type::kPong, frames::agent::kControl, ""); }));
  EXPECT_FALSE(sweeps([](PuppetAgent&) {}));
  EXPECT_FALSE(sweeps([](PuppetAgent& p) { p.End(); }));
}

}  // namespace
}  // namespace plimsoll::docker
