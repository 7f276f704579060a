#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records/verify.h"
#include "sessions/sessions_for_test.h"

namespace plimsoll::sessions::test {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using base::Fault;
using base::FaultKind;
using base::Refusal;
using base::Rule;
using run::SessionEnd;
using testing::HasSubstr;

TEST(Call, R17_CallsAreNumberedAndEachNamesTheOneBefore) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  records::Chain chain(opened.fingerprint);
  for (const char* code : {"1", "2", "3"}) {
    const Called called = fixture.Call(opened.session_id, code).Get();
    EXPECT_EQ(PrintedBy(called), code);
    EXPECT_EQ(chain.BreakAt(RecordOf(called)), "");
    EXPECT_FALSE(records::CheckSeal(RecordOf(called)));
    chain.Advance(RecordOf(called));
  }
  const Closed closed = fixture.Close(opened.session_id).Get().value();
  EXPECT_EQ(closed.calls, 3U);
  EXPECT_EQ(closed.last_record_sha256, chain.last_sha256());
}

TEST(Call, S5_W44_AnothersIdAndOneThatIsNotThereAreTheSame) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  const Called foreign = fixture.Call(opened.session_id, "1", {.principal = "b"}).Get();
  const Called random = fixture.Call("00112233445566778899aabbccddeeff", "1").Get();
  ASSERT_NE(base::RefusalIn(foreign.concluded.answer), nullptr);
  EXPECT_EQ(*base::RefusalIn(foreign.concluded.answer), *base::RefusalIn(random.concluded.answer));
  EXPECT_EQ(RuleOf(foreign), Rule::kSessionUnknown);
  EXPECT_EQ(RuleOf(fixture.Close(opened.session_id, {.principal = "b"}).Get()), Rule::kSessionUnknown);
}

TEST(Call, S22_R28_W43_TheOpensRuleGoesWithEveryCall) {
  Fixture fixture;
  const run::SoftwareRuleDraft rule{"approved", {"oci-manifest:fake", "oci-manifest:other"}};
  const Opened opened = fixture.MustOpen({.open = {.software_rule = rule}});
  EXPECT_EQ(RuleOf(fixture.Call(opened.session_id, "1").Get()), Rule::kInvalidRequest);
  EXPECT_EQ(RuleOf(fixture.Call(opened.session_id, "1", {.rule = {"exact", {"oci-manifest:third"}}}).Get()),
            Rule::kInvalidRequest);
  const Called narrower = fixture.Call(opened.session_id, "1", {.rule = {"exact", {"oci-manifest:fake"}}}).Get();
  EXPECT_EQ(PrintedBy(narrower), "1");
  EXPECT_EQ(RecordOf(narrower).software_rule_id, "exact:oci-manifest:fake");
  EXPECT_FALSE(RuleOf(fixture.Call(opened.session_id, "1", {.rule = rule}).Get()));
  EXPECT_EQ(RuleOf(fixture.Call(opened.session_id, "1", {.rule = {"exact", {"oci-manifest:other"}}}).Get()),
            Rule::kSoftwareMismatch);
  EXPECT_EQ(fixture.sandbox().Asked(), "run run");
}

TEST(Call, S21_AFloorAboveTheTierOfTheOpenIsRefusedAndTheNextCallWorks) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.provider.SetTier(isolation::Tier::kVm);  // what the provider could do now is not what this sandbox is
  EXPECT_EQ(RuleOf(fixture.Call(opened.session_id, "1", {.floor = "kernel"}).Get()), Rule::kInsufficientIsolation);
  EXPECT_EQ(RecordOf(fixture.Call(opened.session_id, "1", {.floor = "container"}).Get()).sequence, 1U);
}

TEST(Call, S19_W45_OfThreeOneRunsOneWaitsAndOneIsRefused) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().Hold();
  auto first = fixture.Call(opened.session_id, "1");
  auto second = fixture.Call(opened.session_id, "2");
  EXPECT_EQ(RuleOf(fixture.Call(opened.session_id, "3").Get()), Rule::kAtCapacity);
  EXPECT_EQ(RuleOf(fixture.Close(opened.session_id).Get()), Rule::kAtCapacity);
  EXPECT_FALSE(second.here());
  fixture.sandbox().Release();
  EXPECT_EQ(RecordOf(first.Get()).sequence, 1U);
  EXPECT_EQ(RecordOf(second.Get()).sequence, 2U);
}

TEST(Call, S20_AWaiterWhoseCallerLeavesMakesRoomForTheNext) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().Hold();
  auto first = fixture.Call(opened.session_id, "1");
  std::stop_source caller;
  auto second = fixture.Call(opened.session_id, "2", {.gone = caller.get_token()});
  caller.request_stop();
  EXPECT_EQ(RuleOf(second.Get()), Rule::kCanceled);
  std::stop_source late;
  auto third = fixture.Call(opened.session_id, "3", {.gone = late.get_token(), .deadline = Soon(1ms)});
  std::this_thread::sleep_for(2ms);
  late.request_stop();
  EXPECT_EQ(RuleOf(third.Get()), Rule::kDeadlinePassed);
  auto fourth = fixture.Call(opened.session_id, "4");
  fixture.sandbox().Release();
  EXPECT_EQ(RecordOf(first.Get()).sequence, 1U);
  EXPECT_EQ(RecordOf(fourth.Get()).sequence, 2U);
}

TEST(Call, R19_W46_ACallThatMayHaveRunIsALinkOfTheChain) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().AnswerNext({Fault{FaultKind::kInternal, "a stream broke at /a/path"}});
  const Called failed = fixture.Call(opened.session_id, "1").Get();
  ASSERT_NE(base::FaultIn(failed.concluded.answer), nullptr);
  EXPECT_THAT(base::FaultIn(failed.concluded.answer)->detail, testing::Not(HasSubstr("/a/path")));
  ASSERT_TRUE(failed.concluded.unanswered);
  const records::Record& record = *failed.concluded.unanswered;
  EXPECT_EQ(record.unanswered, "internal");
  EXPECT_EQ(record.result_sha256, "");
  EXPECT_EQ(record.sequence, 1U);
  EXPECT_EQ(record.isolation, "container");
  EXPECT_EQ(record.provider, "fake");
  EXPECT_EQ(record.software_identity, "oci-manifest:fake");
  EXPECT_FALSE(records::CheckSeal(record));
  EXPECT_TRUE(fixture.log.Contains("session_call=1 code=internal"));

  const Called next = fixture.Call(opened.session_id, "2").Get();
  EXPECT_EQ(RecordOf(next).sequence, 2U);
  EXPECT_EQ(RecordOf(next).previous_sha256, record.record_sha256);
  EXPECT_EQ(fixture.Close(opened.session_id).Get().value().calls, 2U);
}

TEST(Call, OneThatItsDeadlineStoppedBeforeItsCodeSaysSo) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  const Refusal stopped{Rule::kCanceled, "the caller left before its code was started"};
  fixture.sandbox().Hold();
  fixture.sandbox().AnswerNext({stopped});
  auto late = fixture.Call(opened.session_id, "1", {.deadline = Soon(5ms)});
  std::this_thread::sleep_for(10ms);
  fixture.sandbox().Release();
  EXPECT_EQ(RuleOf(late.Get()), Rule::kDeadlinePassed);
  fixture.sandbox().AnswerNext({stopped});
  EXPECT_EQ(RuleOf(fixture.Call(opened.session_id, "1", {.deadline = Soon()}).Get()), Rule::kCanceled);
}

TEST(Call, R18_ARefusedCallIsNoLinkOfTheChain) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().AnswerNext({Refusal{Rule::kNotProven, "it cannot be read back now"}});
  const Called refused = fixture.Call(opened.session_id, "1").Get();
  EXPECT_EQ(RuleOf(refused), Rule::kNotProven);
  EXPECT_FALSE(refused.concluded.unanswered);
  EXPECT_EQ(RecordOf(fixture.Call(opened.session_id, "2").Get()).sequence, 1U);
}

TEST(Call, ASandboxThatEndsUnderItsCallEndsTheSessionUnmarked) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().AnswerNext(
      {Fault{FaultKind::kUnavailable, "gone"}, run::SessionEnded{SessionEnd::kMainProcessEnded, "it was killed"}});
  const Called called = fixture.Call(opened.session_id, "1").Get();
  ASSERT_NE(base::FaultIn(called.concluded.answer), nullptr);
  EXPECT_EQ(base::FaultIn(called.concluded.answer)->kind, FaultKind::kSessionEnded);
  EXPECT_EQ(EndOf(called), SessionEnd::kMainProcessEnded);
  EXPECT_EQ(called.concluded.unanswered.value().unanswered, "failed_precondition");
  const Called after = fixture.Call(opened.session_id, "2").Get();
  EXPECT_EQ(RuleOf(after), Rule::kSessionEnded);
  EXPECT_EQ(EndOf(after), SessionEnd::kMainProcessEnded);
  EXPECT_EQ(after.ended->detail, "it was killed");
  const Closed closed = fixture.Close(opened.session_id).Get().value();
  EXPECT_EQ(closed.calls, 1U);
  EXPECT_EQ(closed.end, SessionEnd::kMainProcessEnded);
}

TEST(Call, AnEndWithAResultIsToldBesideIt) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().AnswerNext({testkit::SnippetReport(testkit::SessionProfile(), isolation::Tier::kContainer, "42"),
                                run::SessionEnded{SessionEnd::kDiskExceeded}});
  const Called called = fixture.Call(opened.session_id, "1").Get();
  EXPECT_EQ(PrintedBy(called), "42");
  EXPECT_EQ(EndOf(called), SessionEnd::kDiskExceeded);
}

TEST(Call, AnEndBeforeTheCodeIsARefusalThatSaysSo) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().AnswerNext(
      {Refusal{Rule::kNotProven, "changed"}, run::SessionEnded{SessionEnd::kSandboxChanged, "its memory limit"}});
  const Called called = fixture.Call(opened.session_id, "1").Get();
  EXPECT_EQ(RuleOf(called), Rule::kSessionEnded);
  EXPECT_EQ(EndOf(called), SessionEnd::kSandboxChanged);
  EXPECT_THAT(base::RefusalIn(called.concluded.answer)->message, HasSubstr("sandbox_changed"));
}

TEST(Call, ACallerThatLeavesHasItsCallStoppedAndCounted) {
  Fixture fixture;
  const Opened opened = fixture.MustOpen();
  fixture.sandbox().Hold();
  std::stop_source caller;
  auto call = fixture.Call(opened.session_id, "1", {.gone = caller.get_token()});
  ASSERT_TRUE(fixture.sandbox().AwaitHeld(Soon()));
  caller.request_stop();
  const Called called = call.Get();
  ASSERT_TRUE(called.concluded.unanswered);
  EXPECT_EQ(called.concluded.unanswered->unanswered, "canceled");
}

TEST(Call, TheSlotIsTheSessionsAndNotTheCalls) {
  Fixture fixture(Lasting(), {.max_concurrent = 1, .per_caller_concurrent = 1, .rate_per_minute = 0, .rate_burst = 0});
  const Opened opened = fixture.MustOpen();
  EXPECT_FALSE(RuleOf(fixture.Call(opened.session_id, "1").Get()));
  EXPECT_EQ(fixture.slots_taken(), 1);
  EXPECT_TRUE(fixture.Close(opened.session_id).Get());
  EXPECT_EQ(fixture.slots_taken(), 0);
}

}  // namespace
}  // namespace plimsoll::sessions::test
