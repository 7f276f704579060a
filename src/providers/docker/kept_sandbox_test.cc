#include "providers/docker/kept_sandbox.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <utility>
#include <vector>

#include "providers/docker/testing/kept_world.h"

namespace plimsoll::docker {
namespace {

using namespace testing_kept;  // NOLINT(google-build-using-namespace): the world of these tests

// --- opening

TEST(KeptSandbox, IsOfferedWhereSessionsAreOnAndTheImageIsProven) {
  Kept kept;
  ASSERT_TRUE(kept.provider->Offer().session);
  EXPECT_EQ(kept.provider->Offer().session->identity, "docker-image:sha256:ap");
  EXPECT_EQ(kept.provider->Offer().session->max_timeout, seconds(120));
  EXPECT_TRUE(kept.provider->Offer().session->languages.empty());
  Kept off{Settings()};
  EXPECT_FALSE(off.provider->Offer().session);
  EXPECT_EQ(RuleOf(off.Open()), base::Rule::kUnsupported);
  EXPECT_EQ(off.world->facts.Lock()->launches, 0U);
}

TEST(KeptSandbox, StatesWhatItIsAndServesCalls) {
  Kept kept;
  const auto sandbox = kept.MustOpen();
  EXPECT_EQ(sandbox->Facts().environment, "docker-image:sha256:ap");
  EXPECT_EQ(sandbox->Facts().tier, isolation::Tier::kContainer);
  for (int call = 0; call < 3; ++call) {
    const KeptCall answer = kept.Call(*sandbox);
    ASSERT_TRUE(answer.outcome) << base::TextOf(answer.outcome.error());
    EXPECT_FALSE(answer.ended);
    EXPECT_EQ(answer.outcome->environment, "docker-image:sha256:ap");
    EXPECT_EQ(std::get<run::JavaScriptResult>(answer.outcome->result).stdout_bytes, "code");
  }
  kept.AwaitSweep(*sandbox);
  EXPECT_EQ(kept.world->facts.Lock()->sweeps, 4U);  // the first before any call
  EXPECT_TRUE(kept.Remove(*sandbox));
}

TEST(KeptSandbox, DOC4_WhatIsNotAsAskedForIsRemovedAndRefused) {
  const std::vector<std::function<void(Kept&)>> flaws = {
      [](Kept& kept) { kept.Change([](auto& script) { script.record.settings["Privileged"] = "true"; }); },
      [](Kept& kept) { kept.Change([](auto& script) { script.error = Failed(Kind::kDeadline); }); },
      [](Kept& kept) { kept.world->Set([](Facts& facts) { facts.fail_sweeps = true; }); },
      [](Kept& kept) {
        kept.world->Set([](Facts& facts) { facts.swept.verdict = frames::agent::Swept::Verdict::kUnproven; });
      },
      [](Kept& kept) { kept.world->Set([](Facts& facts) { facts.break_launches = true; }); },
      [](Kept& kept) { kept.world->Set([](Facts& facts) { facts.refuse_launches = true; }); }};
  for (const auto& flaw : flaws) {
    Kept kept;
    flaw(kept);
    EXPECT_EQ(RuleOf(kept.Open()), base::Rule::kUnavailable);
    EXPECT_TRUE(kept.world->facts.Lock()->alive.empty());
    EXPECT_EQ(kept.provider->CountPool().shares, 0U);
    EXPECT_TRUE(kept.provider->Drain(steady_clock::now() + seconds(1)));
  }
}

TEST(KeptSandbox, WhatCouldNotBeRemovedAfterAFailedOpenIsAFault) {
  Kept kept;
  kept.world->Set([](Facts& facts) { facts.break_launches = facts.fail_removals = true; });
  EXPECT_NE(base::FaultIn(kept.Open()), nullptr);
}

TEST(KeptSandbox, XA8_ACallerWhoLeavesDuringTheOpenGetsNone) {
  Kept kept;
  std::stop_source stop;
  kept.world->Set([](Facts& facts) { facts.hold_launches = true; });
  auto opened = std::async(std::launch::async, [&] { return kept.Open(stop.get_token()); });
  ASSERT_TRUE(kept.world->Await([](const Facts& facts) { return facts.launching == 1; }));
  stop.request_stop();
  EXPECT_EQ(RuleOf(opened.get()), base::Rule::kCanceled);
  EXPECT_TRUE(kept.world->facts.Lock()->alive.empty());
}

TEST(KeptSandbox, XA8_ACallerWhoLeavesWhenItIsMadeGetsNone) {
  Kept kept;
  std::stop_source stop;
  kept.Change([&](auto& script) { script.on_look = [&] { stop.request_stop(); }; });
  EXPECT_EQ(RuleOf(kept.Open(stop.get_token())), base::Rule::kCanceled);
  EXPECT_TRUE(kept.world->facts.Lock()->alive.empty());
}

TEST(KeptSandbox, DOC8_TheFloorIsHeldAgainstTheVerySandbox) {
  Kept kept;
  EXPECT_EQ(RuleOf(kept.Open({}, isolation::Floor::Parse("kernel").value())), base::Rule::kInsufficientIsolation);
  const auto sandbox = kept.MustOpen();
  EXPECT_EQ(RuleOf(kept.Call(*sandbox, Snippet("kernel"))), base::Rule::kInsufficientIsolation);
  EXPECT_TRUE(kept.Call(*sandbox).outcome);
}

TEST(KeptSandbox, POOL4_TakesTheRoomOfARunUntilItIsGone) {
  Kept kept;
  const auto one = kept.MustOpen();
  const auto two = kept.MustOpen();
  EXPECT_EQ(kept.provider->CountPool().shares, 2U);
  EXPECT_EQ(RuleOf(kept.Open()), base::Rule::kAtCapacity);
  kept.world->Set([](Facts& facts) { facts.fail_removals = true; });
  EXPECT_NE(base::FaultIn(kept.Remove(*one)), nullptr);
  EXPECT_EQ(kept.provider->CountPool().shares, 2U);
  EXPECT_EQ(RuleOf(kept.Open()), base::Rule::kAtCapacity);
  kept.world->Set([](Facts& facts) { facts.fail_removals = false; });
  EXPECT_TRUE(kept.Remove(*one));
  EXPECT_EQ(kept.provider->CountPool().shares, 1U);
  EXPECT_NE(kept.MustOpen(), nullptr);
}

// --- calls that are refused

TEST(KeptSandbox, RefusesWhatItDoesNotServeAndGoesOn) {
  Kept kept;
  const auto sandbox = kept.MustOpen();
  EXPECT_EQ(RuleOf(kept.Call(*sandbox, Validated(run::Cell{.language = "python", .code = "1", .files = {}}))),
            base::Rule::kNotProven);
  EXPECT_EQ(
      RuleOf(kept.Call(*sandbox, Validated(run::Module{.model = "m", .rows = {{1.0}}, .end_time = 1, .step = 0.5}))),
      base::Rule::kUnsupported);
  EXPECT_EQ(RuleOf(kept.Call(*sandbox, Validated(run::JavaScript{.code = "1", .grant_profile = "g"}))),
            base::Rule::kUnsupported);
  EXPECT_EQ(kept.world->facts.Lock()->prepared, 0U);
  EXPECT_TRUE(kept.Call(*sandbox).outcome);
}

TEST(KeptSandbox, S36_OneThatCannotBeReadBackNowIsRefusedAndGoesOn) {
  for (const auto& change : std::vector<std::function<void(StatingEngine::Script&)>>{
           [](auto& script) { script.error = Failed(Kind::kDeadline); },
           [](auto& script) { script.error = Failed(Kind::kMalformed); },
           [](auto& script) { script.error = Failed(Kind::kNotFound); },  // and yet it is listed
           [](auto& script) {
             script.error = Failed(Kind::kUnreachable);
             script.listing_error = Failed(Kind::kUnreachable);
             script.is_listed = false;
           }}) {
    Kept kept;
    const auto sandbox = kept.MustOpen();
    kept.Change(change);
    const KeptCall answer = kept.Call(*sandbox);
    EXPECT_EQ(RuleOf(answer), base::Rule::kUnavailable);
    EXPECT_EQ(base::ReasonOf(RuleOf(answer)), base::Reason::kEnvironment);
    EXPECT_FALSE(answer.ended);
    EXPECT_EQ(kept.world->facts.Lock()->prepared, 0U);
    kept.Change([](auto& script) { script.error.reset(); });
    EXPECT_TRUE(kept.Call(*sandbox).outcome);
  }
}

TEST(KeptSandbox, S34_S35_OneThatChangedOrEndedServesNoCall) {
  const std::vector<std::pair<SessionEnd, std::function<void(StatingEngine::Script&)>>> changes = {
      {SessionEnd::kSandboxChanged, [](auto& script) { script.record.settings["Memory"] = "1"; }},
      {SessionEnd::kSandboxChanged, [](auto& script) { script.record.state.status = Status::kPaused; }},
      {SessionEnd::kMainProcessEnded, [](auto& script) { script.record.state.status = Status::kExited; }},
      {SessionEnd::kSandboxChanged, [](auto& script) {
         script.error = Failed(Kind::kNotFound);
         script.is_listed = false;
       }}};
  for (const auto& [reason, change] : changes) {
    Kept kept;
    const auto sandbox = kept.MustOpen();
    kept.Change(change);
    for (int call = 0; call < 2; ++call) {
      const KeptCall answer = kept.Call(*sandbox);
      EXPECT_EQ(base::ReasonOf(RuleOf(answer)), base::Reason::kEnvironment);
      EXPECT_EQ(EndIn(answer), reason);
    }
    EXPECT_EQ(kept.world->facts.Lock()->prepared, 0U);
    EXPECT_TRUE(kept.Told().empty());
    EXPECT_NE(base::FaultIn(kept.Suspend(*sandbox)), nullptr);
    EXPECT_TRUE(kept.Remove(*sandbox));
  }
}

// --- after a call

TEST(KeptSandbox, OfAContainerThatIsNoLongerThereNoExitIsUsed) {
  const std::vector<std::pair<SessionEnd, std::function<void(StatingEngine::Script&)>>> changes = {
      {SessionEnd::kMainProcessEnded, [](auto& script) { script.record.state.status = Status::kExited; }},
      {SessionEnd::kSandboxChanged, [](auto& script) { script.record.state.status = Status::kPaused; }},
      {SessionEnd::kMainProcessEnded,
       [](auto& script) {
         script.error = Failed(Kind::kNotFound);
         script.is_listed = false;
       }},
      {SessionEnd::kBoundaryFailed, [](auto& script) { script.error = Failed(Kind::kDeadline); }}};
  for (const auto& [reason, change] : changes) {
    Kept kept;
    const auto sandbox = kept.MustOpen();
    kept.world->Set([](Facts& facts) {
      facts.hold_runs = true;
      facts.exit_code = 3;
    });
    auto call = std::async(std::launch::async, [&] { return kept.Call(*sandbox); });
    ASSERT_TRUE(kept.world->Await([](const Facts& facts) { return facts.prepared == 1; }));
    kept.Change(change);
    kept.world->Set([](Facts& facts) { facts.hold_runs = false; });
    const KeptCall answer = call.get();
    EXPECT_EQ(EndIn(answer), reason);
    // The agent's own word stands where nobody contradicts it.
    EXPECT_EQ(answer.outcome.has_value(), reason == SessionEnd::kBoundaryFailed);
    EXPECT_EQ(kept.world->facts.Lock()->sweeps, 1U) << "what has ended is not swept";
  }
}

TEST(KeptSandbox, S37_ASweepThatIsNotCleanEndsItAndIsToldOnce) {
  using Verdict = frames::agent::Swept::Verdict;
  const std::vector<std::pair<SessionEnd, std::function<void(Facts&)>>> verdicts = {
      {SessionEnd::kDiskExceeded, [](Facts& facts) { facts.swept = {.verdict = Verdict::kOverBudget, .used = 9}; }},
      {SessionEnd::kDiskExceeded, [](Facts& facts) { facts.swept.verdict = Verdict::kUnmeasurable; }},
      {SessionEnd::kBoundaryFailed, [](Facts& facts) { facts.swept.verdict = Verdict::kUnproven; }},
      {SessionEnd::kBoundaryFailed, [](Facts& facts) { facts.fail_sweeps = true; }}};
  for (const auto& [reason, change] : verdicts) {
    Kept kept;
    const auto sandbox = kept.MustOpen();
    kept.world->Set(change);
    EXPECT_TRUE(kept.Call(*sandbox).outcome);
    EXPECT_NE(base::FaultIn(kept.Suspend(*sandbox)), nullptr);
    ASSERT_EQ(kept.Told().size(), 1U);
    EXPECT_EQ(kept.Told()[0].reason, reason);
    EXPECT_EQ(EndIn(kept.Call(*sandbox)), reason);
    EXPECT_EQ(kept.Told().size(), 1U);
    // A guest that could not be cleared is taken down without waiting for a removal.
    EXPECT_EQ(kept.world->facts.Lock()->kills, reason == SessionEnd::kBoundaryFailed ? 1U : 0U);
  }
}

TEST(KeptSandbox, AnUnprovenSweepOfAContainerThatEndedIsItsEnd) {
  Kept kept;
  const auto sandbox = kept.MustOpen();
  kept.world->Set([](Facts& facts) { facts.fail_sweeps = true; });
  EXPECT_TRUE(kept.Call(*sandbox).outcome);
  kept.AwaitSweep(*sandbox);
  Kept other;
  const auto stopped = other.MustOpen();
  other.world->Set([](Facts& facts) {
    facts.fail_sweeps = true;
    facts.hold_runs = true;
  });
  auto call = std::async(std::launch::async, [&] { return other.Call(*stopped); });
  ASSERT_TRUE(other.world->Await([](const Facts& facts) { return facts.prepared == 1; }));
  other.Change([](auto& script) { script.record.state.status = Status::kExited; });
  other.world->Set([](Facts& facts) { facts.hold_runs = false; });
  EXPECT_TRUE(call.get().outcome);
  other.AwaitSweep(*stopped);
  ASSERT_EQ(other.Told().size(), 1U);
  EXPECT_EQ(other.Told()[0].reason, SessionEnd::kMainProcessEnded);
}

}  // namespace
}  // namespace plimsoll::docker
