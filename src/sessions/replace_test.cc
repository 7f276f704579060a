#include <gtest/gtest.h>

#include "sessions/sessions_for_test.h"

namespace plimsoll::sessions::test {
namespace {

using base::Fault;
using base::FaultKind;
using base::Rule;
using run::SessionEnd;

const Asking kOwner{.open = {.owner = "o"}};

TEST(Replace, S12_W47_TheOneUsedLongestAgoIsClosed) {
  Fixture fixture(Lasting({.max = 8, .per_owner = 2}));
  const Opened first = fixture.MustOpen(kOwner);
  const Opened second = fixture.MustOpen(kOwner);
  fixture.Call(first.session_id, "1").Get();
  EXPECT_TRUE(fixture.Open(kOwner).Get());
  const Called called = fixture.Call(second.session_id, "1").Get();
  EXPECT_EQ(RuleOf(called), Rule::kSessionEnded);
  EXPECT_EQ(EndOf(called), SessionEnd::kReplaced);
  EXPECT_EQ(PrintedBy(fixture.Call(first.session_id, "2").Get()), "2");
  EXPECT_TRUE(fixture.log.Contains("session replaced"));
  EXPECT_EQ(fixture.slots_taken(), 2);
  EXPECT_EQ(fixture.Close(second.session_id).Get().value().end, SessionEnd::kReplaced);
}

TEST(Replace, S13_W47_ABusyOneIsNotTouched) {
  Fixture fixture(Lasting({.max = 8, .per_owner = 1}));
  const Opened opened = fixture.MustOpen(kOwner);
  fixture.sandbox().Hold();
  auto call = fixture.Call(opened.session_id, "1");
  EXPECT_EQ(RuleOf(fixture.Open(kOwner).Get()), Rule::kAtCapacity);
  fixture.sandbox().Release();
  EXPECT_EQ(PrintedBy(call.Get()), "1");
}

TEST(Replace, S14_ARefusedOpenClosesNothing) {
  Fixture fixture(Lasting({.max = 8, .per_owner = 1}),
                  {.max_concurrent = 9, .per_caller_concurrent = 0, .rate_per_minute = 1, .rate_burst = 2});
  const Opened opened = fixture.MustOpen(kOwner);
  fixture.MustOpen({.open = {.owner = "p"}});
  EXPECT_EQ(RuleOf(fixture.Open(kOwner).Get()), Rule::kAtCapacity);  // no token is left
  EXPECT_EQ(fixture.sandbox().Asked(), "");
  EXPECT_EQ(fixture.Close(opened.session_id).Get().value().end, SessionEnd::kClosed);
}

TEST(Replace, S15_AFullDaemonServesTheOwnerThatFillsIt) {
  Fixture fixture(Lasting({.max = 1, .per_caller = 1, .per_owner = 1}),
                  {.max_concurrent = 1, .per_caller_concurrent = 1, .rate_per_minute = 0, .rate_burst = 0});
  fixture.MustOpen(kOwner);
  fixture.sandbox(0).HoldRemoval();
  auto second = fixture.Open(kOwner);
  EXPECT_FALSE(second.here());
  EXPECT_EQ(fixture.provider.Sandboxes().size(), 1U);  // not before the first is gone
  fixture.sandbox(0).ReleaseRemoval();
  EXPECT_TRUE(second.Get());
  EXPECT_EQ(fixture.slots_taken(), 1);
}

TEST(Replace, S16_OneThatCannotBeClosedStaysOpen) {
  Fixture fixture(Lasting({.max = 1, .per_owner = 1}));
  const Opened opened = fixture.MustOpen(kOwner);
  fixture.sandbox().RemoveNext(Fault{FaultKind::kUnavailable, "no answer"});
  EXPECT_EQ(RuleOf(fixture.Open(kOwner).Get()), Rule::kAtCapacity);
  EXPECT_EQ(PrintedBy(fixture.Call(opened.session_id, "1").Get()), "1");
  EXPECT_EQ(fixture.slots_taken(), 1);
  EXPECT_EQ(RuleOf(fixture.Open({.open = {.owner = "p"}}).Get()), Rule::kAtCapacity);  // it counts again
  EXPECT_TRUE(fixture.Open(kOwner).Get());                                             // and is replaced now
  EXPECT_EQ(fixture.slots_taken(), 1);
}

TEST(Replace, AVictimStaysClosedWhenTheOpenFails) {
  Fixture fixture(Lasting({.max = 1, .per_owner = 1}));
  const Opened opened = fixture.MustOpen(kOwner);
  fixture.provider.AnswerNextOpen(base::Refusal{Rule::kUnavailable, "the engine is gone"});
  EXPECT_EQ(RuleOf(fixture.Open(kOwner).Get()), Rule::kUnavailable);
  EXPECT_EQ(EndOf(fixture.Call(opened.session_id, "1").Get()), SessionEnd::kReplaced);
  EXPECT_EQ(fixture.slots_taken(), 0);
  EXPECT_TRUE(fixture.Open(kOwner).Get());
}

TEST(Replace, AWaiterOfTheVictimIsToldThatItWasReplaced) {
  Fixture fixture(Lasting({.max = 8, .per_owner = 1}));
  const Opened opened = fixture.MustOpen(kOwner);
  fixture.sandbox(0).HoldRemoval();
  auto second = fixture.Open(kOwner);
  auto call = fixture.Call(opened.session_id, "1");
  EXPECT_FALSE(call.here());
  fixture.sandbox(0).ReleaseRemoval();
  EXPECT_TRUE(second.Get());
  EXPECT_EQ(EndOf(call.Get()), SessionEnd::kReplaced);
}

}  // namespace
}  // namespace plimsoll::sessions::test
