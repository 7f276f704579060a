#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "records/record.h"
#include "sessions/sessions_for_test.h"

namespace plimsoll::sessions::test {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using base::Rule;
using testing::HasSubstr;

TEST(Open, StatesTheSandboxAndItsTimes) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  EXPECT_EQ(opened.session_id.size(), 32U);
  EXPECT_EQ(opened.fingerprint, records::Fingerprint(opened.session_id));
  EXPECT_EQ(opened.sandbox, "fake");
  EXPECT_EQ(opened.facts.tier, isolation::Tier::kContainer);
  EXPECT_EQ(opened.facts.software_identity, "oci-manifest:fake");
  EXPECT_EQ(opened.idle, 30min);
  EXPECT_EQ(fixture.slots_taken(), 1);
  EXPECT_TRUE(fixture.log.Contains("session opened caller=a session=" + opened.fingerprint));
}

TEST(Open, S7_TheFingerprintIsThatOfTheId) {
  EXPECT_EQ(records::Fingerprint("00112233445566778899aabbccddeeff"),
            "5947d7c33d783f94b3b4c1a96ebc8991ed28f1b069b71e03376cba8caa98a720");
}

TEST(Open, S6_TheIdAndTheOwnerAreInNoLogLine) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen({.open = {.trace_id = "t-1", .owner = "the-owner"}});
  fixture.Call(opened.session_id, "1").Get();
  EXPECT_TRUE(fixture.Close(opened.session_id).Get());
  EXPECT_FALSE(fixture.log.Contains(opened.session_id));
  EXPECT_FALSE(fixture.log.Contains("the-owner"));
  EXPECT_TRUE(fixture.log.Contains("trace_id=t-1"));
  EXPECT_TRUE(fixture.log.Contains("session_call=1"));
}

TEST(Open, S1_W48_WithSessionsOffIsUnsupported) {
  Fixture off({.caps = {}, .lifetime = 1h, .idle = 0ms});
  EXPECT_EQ(RuleOf(off.Open().Get()), Rule::kUnsupported);
  EXPECT_EQ(RuleOf(off.Call("00112233445566778899aabbccddeeff", "1").Get()), Rule::kSessionUnknown);
  Fixture none(Lasting(), Ample(), testkit::SnippetProfile());
  EXPECT_EQ(RuleOf(none.Open().Get()), Rule::kUnsupported);
}

TEST(Open, S8_W48_ABadOwnerMakesNoSandbox) {
  Fixture fixture;
  for (const std::string& owner : {std::string("a b"), std::string(65, 'a'), std::string("\xc3\xa9")}) {
    EXPECT_EQ(RuleOf(fixture.Open({.open = {.owner = owner}}).Get()), Rule::kInvalidRequest);
  }
  EXPECT_EQ(RuleOf(fixture.Open({.open = {.languages = {"ruby"}}}).Get()), Rule::kInvalidRequest);
  EXPECT_TRUE(fixture.provider.Sandboxes().empty());
  EXPECT_EQ(fixture.slots_taken(), 0);
}

TEST(Open, S9_ALanguageThatTheImageLacksIsDropped) {
  Fixture fixture;
  EXPECT_TRUE(fixture.Open({.open = {.languages = {"python"}}}).Get());
}

TEST(Open, S10_W60_ACallerCanOnlyShortenTheTimes) {
  const Options options = Lasting();
  EXPECT_EQ(LifetimeInForce(options, 0), 1h);
  EXPECT_EQ(LifetimeInForce(options, 7'200'000), 1h);
  EXPECT_EQ(LifetimeInForce(options, 5000), 5s);
  EXPECT_EQ(IdleInForce(options, 0), 30min);
  EXPECT_EQ(IdleInForce(options, 5), 1s);
  EXPECT_EQ(IdleInForce(options, 5000), 5s);
  EXPECT_EQ(IdleInForce(options, 4'000'000'000), 30min);
  const Options never{.caps = {}, .lifetime = 1h, .idle = 0ms};
  EXPECT_EQ(IdleInForce(never, 5000), 0ms);
  EXPECT_EQ(IdleInForce(never, 0), 0ms);
}

TEST(Open, S11_OfFiftyAtOnceOneTakesTheOnlyPlace) {
  Fixture fixture(Lasting({.max = 1}));
  std::vector<Awaited<base::Result<Opened>>> answers;
  std::mutex mutex;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 50; ++i) {
      callers.emplace_back([&] {
        auto answer = fixture.Open();
        const std::lock_guard lock(mutex);
        answers.push_back(std::move(answer));
      });
    }
  }
  int opened = 0;
  for (auto& answer : answers) {
    const auto result = answer.Get();
    opened += result ? 1 : 0;
    EXPECT_TRUE(result || RuleOf(result) == Rule::kAtCapacity);
  }
  EXPECT_EQ(opened, 1);
  EXPECT_EQ(fixture.slots_taken(), 1);
}

TEST(Open, ASlotIsNeededAndATokenIsPaid) {
  Fixture full(Lasting(), {.max_concurrent = 1, .per_caller_concurrent = 0, .rate_per_minute = 0, .rate_burst = 0});
  full.MustOpen();
  const auto second = full.Open().Get();
  EXPECT_EQ(RuleOf(second), Rule::kAtCapacity);
  EXPECT_THAT(base::RefusalIn(second)->message, HasSubstr("run slots"));

  Fixture slow(Lasting(), {.max_concurrent = 9, .per_caller_concurrent = 0, .rate_per_minute = 1, .rate_burst = 2});
  const Opened opened = slow.MustOpen();
  EXPECT_FALSE(RuleOf(slow.Call(opened.session_id, "1").Get()));
  EXPECT_EQ(RuleOf(slow.Call(opened.session_id, "1").Get()), Rule::kAtCapacity);
  EXPECT_EQ(RuleOf(slow.Open().Get()), Rule::kAtCapacity);
}

TEST(Open, EveryFailureGivesPlaceAndSlotBack) {
  Fixture fixture(Lasting({.max = 1}));
  fixture.provider.AnswerNextOpen(base::Refusal{Rule::kUnavailable, "the engine is gone"});
  EXPECT_EQ(RuleOf(fixture.Open().Get()), Rule::kUnavailable);
  fixture.provider.AnswerNextOpen(base::Fault{base::FaultKind::kInternal, "/a/path"});
  const auto fault = fixture.Open().Get();
  ASSERT_NE(base::FaultIn(fault), nullptr);
  EXPECT_THAT(base::FaultIn(fault)->detail, testing::Not(HasSubstr("/a/path")));
  EXPECT_TRUE(fixture.log.Contains("session open failed error=/a/path"));
  EXPECT_EQ(fixture.slots_taken(), 0);
  EXPECT_TRUE(fixture.Open().Get());
}

TEST(Open, S17_ACallerThatLeavesWhileItOpensLeavesNothing) {
  Fixture fixture(Lasting({.max = 1}));
  fixture.provider.HoldOpens();
  std::stop_source caller;
  auto answer = fixture.Open({.gone = caller.get_token()});
  EXPECT_FALSE(answer.here());
  caller.request_stop();
  ASSERT_TRUE(fixture.provider.ReleaseOpen());
  EXPECT_EQ(RuleOf(answer.Get()), Rule::kCanceled);
  EXPECT_TRUE(fixture.sandbox().gone());
  EXPECT_EQ(fixture.slots_taken(), 0);
  EXPECT_EQ(RuleOf(fixture.Open({.gone = caller.get_token()}).Get()), Rule::kCanceled);
  EXPECT_EQ(RuleOf(fixture.Open({.deadline = Soon(-1ms)}).Get()), Rule::kDeadlinePassed);
}

TEST(Open, TheRuleAndTheFloorAreHeldAgainstWhatWasMade) {
  Fixture fixture;
  fixture.provider.HoldOpens();
  auto kernel = fixture.Open({.floor = isolation::Floor::At(isolation::Tier::kContainer)});
  fixture.provider.SetTier(isolation::Tier::kProcess);
  ASSERT_TRUE(fixture.provider.ReleaseOpen());
  EXPECT_EQ(RuleOf(kernel.Get()), Rule::kInsufficientIsolation);
  EXPECT_TRUE(fixture.sandbox().gone());
  EXPECT_EQ(fixture.slots_taken(), 0);
}

TEST(Open, ADrainOpensNothingMoreAndClosesWhatOpensJustNow) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.provider.HoldOpens();
  auto late = fixture.Open();
  EXPECT_FALSE(fixture.sessions.Drain(Soon(10ms)));  // an open is in progress
  EXPECT_EQ(RuleOf(fixture.Open().Get()), Rule::kAtCapacity);
  ASSERT_TRUE(fixture.provider.ReleaseOpen());
  EXPECT_TRUE(late.Get());
  EXPECT_TRUE(fixture.sessions.Drain(Soon()));
  EXPECT_TRUE(fixture.sandbox(0).gone());
  EXPECT_TRUE(fixture.sandbox(1).gone());
  EXPECT_EQ(EndOf(fixture.Call(opened.session_id, "1").Get()), run::SessionEnd::kShutdown);
}

}  // namespace
}  // namespace plimsoll::sessions::test
