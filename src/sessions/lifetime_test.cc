#include <gtest/gtest.h>

#include <thread>

#include "sessions/sessions_for_test.h"

namespace plimsoll::sessions::test {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using base::Fault;
using base::FaultKind;
using base::Rule;
using run::SessionEnd;

Options Idle(std::chrono::milliseconds idle) { return {.caps = {.max = 4}, .lifetime = 1h, .idle = idle}; }

bool Asked(Fixture& fixture, const std::string& words) {
  return Eventually([&] { return fixture.sandbox().Asked() == words; });
}

TEST(Lifetime, S18_ASessionThatNobodyNamesIsGoneAfterItsFirstIdleTime) {
  Fixture fixture(Idle(20ms));
  const Opened opened = fixture.MustOpen();
  EXPECT_TRUE(Asked(fixture, "remove"));
  EXPECT_TRUE(Eventually([&] { return fixture.slots_taken() == 0; }));
  EXPECT_EQ(EndOf(fixture.Call(opened.session_id, "1").Get()), SessionEnd::kUnclaimed);
}

TEST(Lifetime, S38_AnIdleSessionIsSuspendedHoldsItsSlotAndServesTheNextCall) {
  Fixture fixture(Idle(20ms));
  const Opened opened = fixture.MustOpen();
  fixture.Call(opened.session_id, "1").Get();
  EXPECT_TRUE(Asked(fixture, "run suspend"));
  EXPECT_EQ(fixture.slots_taken(), 1);
  EXPECT_TRUE(Eventually([&] { return fixture.sessions.Count().suspended == 1; }));
  EXPECT_EQ(RecordOf(fixture.Call(opened.session_id, "2").Get()).sequence, 2U);
  EXPECT_TRUE(Asked(fixture, "run suspend run suspend"));  // and no more often
  std::this_thread::sleep_for(60ms);
  EXPECT_EQ(fixture.sandbox().Asked(), "run suspend run suspend");
}

TEST(Lifetime, W60_WithAnIdleTimeOfZeroNothingIsSuspended) {
  Fixture fixture(Idle(0ms));
  const Opened opened = fixture.MustOpen({.open = {.idle_timeout_ms = 1000}});
  EXPECT_EQ(opened.idle, 0ms);
  fixture.Call(opened.session_id, "1").Get();
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(fixture.sandbox().Asked(), "run");
}

TEST(Lifetime, S39_ARefusedCallDoesNotPutTheSuspendOff) {
  Fixture fixture(Idle(150ms));
  const Opened opened = fixture.MustOpen();
  fixture.Call(opened.session_id, "1").Get();
  const auto began = std::chrono::steady_clock::now();
  while (fixture.sandbox().Asked() == "run" && std::chrono::steady_clock::now() - began < 10s) {
    EXPECT_EQ(RuleOf(fixture.Call(opened.session_id, "1", {.floor = "vm"}).Get()), Rule::kInsufficientIsolation);
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_EQ(fixture.sandbox().Asked(), "run suspend");
}

TEST(Lifetime, ARunningCallIsNotSuspended) {
  Fixture fixture(Idle(20ms));
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().Hold();
  auto call = fixture.Call(opened.session_id, "1");
  ASSERT_TRUE(fixture.sandbox().AwaitHeld(Soon()));
  std::this_thread::sleep_for(60ms);
  EXPECT_EQ(fixture.sandbox().Asked(), "run");
  fixture.sandbox().Release();
  EXPECT_EQ(PrintedBy(call.Get()), "1");
  EXPECT_TRUE(Asked(fixture, "run suspend"));
}

TEST(Lifetime, TheIdleTimeBeginsAgainAtTheEndOfACall) {
  Fixture fixture(Idle(300ms));
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().Hold();
  auto call = fixture.Call(opened.session_id, "1");
  ASSERT_TRUE(fixture.sandbox().AwaitHeld(Soon()));
  std::this_thread::sleep_for(350ms);
  fixture.sandbox().Release();
  call.Get();  // what is due by then is done before the answer
  EXPECT_EQ(fixture.sandbox().Asked(), "run");
}

TEST(Lifetime, ASuspendThatFailsEndsTheSession) {
  Fixture fixture(Idle(20ms));
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().SuspendNext(Fault{FaultKind::kUnavailable, "no answer"});
  fixture.Call(opened.session_id, "1").Get();
  EXPECT_TRUE(Asked(fixture, "run suspend remove"));
  EXPECT_EQ(EndOf(fixture.Call(opened.session_id, "2").Get()), SessionEnd::kBoundaryFailed);
}

TEST(Lifetime, S41_TheLifetimeEndsASessionWhateverRuns) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen({.open = {.lifetime_ms = 60}});
  fixture.sandbox().Hold();
  const Called called = fixture.Call(opened.session_id, "1").Get();
  ASSERT_NE(base::FaultIn(called.concluded.answer), nullptr);
  EXPECT_EQ(EndOf(called), SessionEnd::kExpired);
  EXPECT_EQ(called.concluded.unanswered.value().unanswered, "failed_precondition");
  EXPECT_TRUE(Eventually([&] { return fixture.sandbox().gone(); }));
}

TEST(Lifetime, S42_AnEndedSessionCanBeClosedOnce) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen({.open = {.lifetime_ms = 200}});
  const Called called = fixture.Call(opened.session_id, "1").Get();
  EXPECT_TRUE(Eventually([&] { return fixture.sandbox().gone(); }));
  const Closed closed = fixture.Close(opened.session_id).Get().value();
  EXPECT_EQ(closed.calls, 1U);
  EXPECT_EQ(closed.last_record_sha256, RecordOf(called).record_sha256);
  EXPECT_EQ(closed.end, SessionEnd::kExpired);
  EXPECT_EQ(RuleOf(fixture.Close(opened.session_id).Get()), Rule::kSessionUnknown);
}

TEST(Lifetime, ASandboxThatEndsBetweenCallsEndsTheSessionAtOnce) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.Call(opened.session_id, "1").Get();
  fixture.sandbox().EndByItself({SessionEnd::kBoundaryFailed, "a process could not be ended"});
  const Called called = fixture.Call(opened.session_id, "2").Get();
  EXPECT_EQ(RuleOf(called), Rule::kSessionEnded);
  EXPECT_EQ(EndOf(called), SessionEnd::kBoundaryFailed);
  EXPECT_TRUE(fixture.sandbox().gone());
}

TEST(Lifetime, S44_ADrainEndsACallInFlight) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().Hold();
  auto call = fixture.Call(opened.session_id, "1");
  ASSERT_TRUE(fixture.sandbox().AwaitHeld(Soon()));
  EXPECT_TRUE(fixture.sessions.Drain(Soon()));
  const Called called = call.Get();
  EXPECT_EQ(EndOf(called), SessionEnd::kShutdown);
  EXPECT_TRUE(called.concluded.unanswered);
}

TEST(Lifetime, AStopLetsGoOfWhatADrainHasLeft) {
  Fixture fixture;
  fixture.MustOpen();
  fixture.provider.HoldOpens();
  auto late = fixture.Open();
  fixture.sandbox().HoldRemoval();
  EXPECT_FALSE(fixture.sessions.Drain(Soon(10ms)));
  fixture.sessions.Stop();
  ASSERT_TRUE(fixture.provider.ReleaseOpen());
  for (const auto& sandbox : fixture.provider.Sandboxes()) {
    EXPECT_EQ(sandbox.use_count(), 2);  // the provider's list and its copy here
  }
}

TEST(Lifetime, ADrainSaysWhenASandboxIsLeft) {
  Fixture fixture;
  fixture.MustOpen();
  fixture.sandbox().HoldRemoval();
  const base::Status status = fixture.sessions.Drain(Soon(20ms));
  ASSERT_NE(base::FaultIn(status), nullptr);
  EXPECT_EQ(base::FaultIn(status)->kind, FaultKind::kDeadline);
}

}  // namespace
}  // namespace plimsoll::sessions::test
