#include <gtest/gtest.h>

#include "sessions/sessions_for_test.h"

namespace plimsoll::sessions::test {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using base::FaultKind;
using base::Rule;
using run::SessionEnd;

TEST(Close, GivesBackEverythingAndASecondOneFindsNothing) {
  Fixture fixture(Lasting({.max = 1, .per_caller = 1, .per_owner = 1}));
  const Opened opened = fixture.MustOpen({.open = {.owner = "o"}});
  const Closed closed = fixture.Close(opened.session_id).Get().value();
  EXPECT_EQ(closed.fingerprint, opened.fingerprint);
  EXPECT_EQ(closed.calls, 0U);
  EXPECT_EQ(closed.last_record_sha256, "");
  EXPECT_EQ(closed.end, SessionEnd::kClosed);
  EXPECT_TRUE(fixture.sandbox().gone());
  EXPECT_EQ(fixture.slots_taken(), 0);
  EXPECT_EQ(RuleOf(fixture.Close(opened.session_id).Get()), Rule::kSessionUnknown);
  EXPECT_EQ(RuleOf(fixture.Call(opened.session_id, "1").Get()), Rule::kSessionUnknown);
  EXPECT_TRUE(fixture.Open({.open = {.owner = "o"}}).Get());
}

TEST(Close, S43_WaitsForTheCallInFlightAndCountsIt) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().Hold();
  auto call = fixture.Call(opened.session_id, "1");
  ASSERT_TRUE(fixture.sandbox().AwaitHeld(Soon()));
  auto close = fixture.Close(opened.session_id);
  EXPECT_FALSE(close.here());
  fixture.sandbox().Release();
  EXPECT_EQ(PrintedBy(call.Get()), "1");
  EXPECT_EQ(close.Get().value().calls, 1U);
}

TEST(Close, WhoDoesNotWaitForTheEndCanCollectItLater) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.Call(opened.session_id, "1").Get();
  fixture.sandbox().HoldRemoval();
  std::stop_source caller;
  auto first = fixture.Close(opened.session_id, {.gone = caller.get_token()});
  EXPECT_FALSE(first.here());
  caller.request_stop();
  const auto left = first.Get();
  ASSERT_NE(base::FaultIn(left), nullptr);
  EXPECT_EQ(base::FaultIn(left)->kind, FaultKind::kCanceled);
  EXPECT_EQ(fixture.slots_taken(), 1);  // the sandbox is still there

  auto second = fixture.Close(opened.session_id);
  EXPECT_FALSE(second.here());
  fixture.sandbox().ReleaseRemoval();
  EXPECT_EQ(second.Get().value().calls, 1U);
  EXPECT_EQ(fixture.slots_taken(), 0);
}

TEST(Close, OfTwoAtOnceOneCollects) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().HoldRemoval();
  auto first = fixture.Close(opened.session_id);
  auto second = fixture.Close(opened.session_id);
  fixture.sandbox().ReleaseRemoval();
  EXPECT_TRUE(first.Get());
  EXPECT_EQ(RuleOf(second.Get()), Rule::kSessionUnknown);
}

TEST(Close, ARemovalThatFailsIsTriedAgainAndKeepsThePlace) {
  Fixture fixture(Lasting({.max = 1}));
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().RemoveNext(base::Fault{FaultKind::kUnavailable, "the engine does not answer"});
  auto close = fixture.Close(opened.session_id);
  EXPECT_FALSE(close.here());
  EXPECT_EQ(RuleOf(fixture.Open().Get()), Rule::kAtCapacity);
  EXPECT_EQ(close.Get().value().end, SessionEnd::kClosed);  // after a second
  EXPECT_EQ(fixture.sandbox().Asked(), "remove remove");
  EXPECT_TRUE(fixture.Open().Get());
}

}  // namespace
}  // namespace plimsoll::sessions::test
