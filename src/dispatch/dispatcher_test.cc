#include "dispatch/dispatcher.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "testkit/capture_log.h"
#include "testkit/fake_clock.h"
#include "testkit/fake_provider.h"
#include "testkit/fake_random.h"

namespace plimsoll::dispatch {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using base::Rule;

constexpr admission::Quotas kOneSlot{
    .max_concurrent = 1, .per_caller_concurrent = 0, .rate_per_minute = 0, .rate_burst = 0};

struct World {
  explicit World(Options options = {}) : dispatcher(options, provider, clock, random, log) {}
  ~World() {  // a dispatcher must outlive the end of every call and of every sandbox
    provider.Release();
    provider.EndDeletes();
  }
  testkit::FakeClock clock;
  testkit::FakeRandom random;
  testkit::CaptureLog log;
  testkit::FakeProvider provider;
  Dispatcher dispatcher;

  Call CallOf(run::Draft draft, std::string principal = "alice") const {
    return Call{.request = run::Request::Validate(std::move(draft), run::Request::Cells::kRefused).value(),
                .principal = std::move(principal),
                .received = {clock.Wall(), clock.Steady()}};
  }

  // The outcome of a run that ends before Run returns; nothing when it does not.
  std::optional<base::Result<Answer>> Run(Call call) {
    auto outcome = std::make_shared<std::optional<base::Result<Answer>>>();
    dispatcher.Run(std::move(call), [outcome](base::Result<Answer> answer) { outcome->emplace(std::move(answer)); });
    return *outcome;
  }
};

run::Draft Snippet(std::string code = "1") {
  run::Draft draft;
  draft.protocol = 4;
  draft.payload = run::JavaScript{std::move(code), ""};
  return draft;
}

std::optional<Rule> RuleOf(const std::optional<base::Result<Answer>>& outcome) {
  const base::Refusal* refusal = outcome ? base::RefusalIn(*outcome) : nullptr;
  return refusal == nullptr ? std::nullopt : std::optional(refusal->rule);
}

// DIS-3
TEST(Dispatcher, StampsARecordFromTheReportAlone) {
  World world;
  const auto outcome = world.Run(world.CallOf(Snippet("code")));
  ASSERT_TRUE(outcome && outcome->has_value());
  const Answer& answer = outcome->value();
  EXPECT_EQ(answer.record.provider, answer.report.provider);
  EXPECT_EQ(answer.record.isolation, "process");
  EXPECT_EQ(answer.record.request_sha256, records::RequestDigest(Snippet("code")));
  EXPECT_EQ(answer.record.result_sha256, records::ResultDigest(answer.report.result));
  EXPECT_EQ(answer.record.record_sha256, records::RecordDigest(answer.record));
}

TEST(Dispatcher, R9_HashesATimeoutAsItWasSent) {
  World world;
  run::Draft draft = Snippet();
  draft.timeout_ms = 0;
  const auto outcome = world.Run(world.CallOf(draft));
  ASSERT_TRUE(outcome && outcome->has_value());
  EXPECT_EQ(outcome->value().record.request_sha256, records::RequestDigest(draft));
}

TEST(Dispatcher, R15_EndsARecordAtItsStartPlusTheTimeThatPassedWhateverTheWallClockDoes) {
  World world;
  world.provider.Hold();
  std::optional<base::Result<Answer>> outcome;
  Call call = world.CallOf(Snippet());
  const std::int64_t started =
      std::chrono::floor<std::chrono::milliseconds>(call.received.wall.time_since_epoch()).count();
  world.dispatcher.Run(std::move(call), [&](base::Result<Answer> answer) { outcome.emplace(std::move(answer)); });
  world.clock.Advance(1500ms);
  world.clock.SetWall(world.clock.Wall() - 2500ms);
  world.provider.Release();
  ASSERT_TRUE(outcome && outcome->has_value());
  EXPECT_EQ(outcome->value().record.started_unix_ms, started);
  EXPECT_EQ(outcome->value().record.ended_unix_ms, started + 1500);
}

TEST(Dispatcher, D36_W34_SpendsNothingOnARequestThatCannotRun) {
  World world({.quotas = {.max_concurrent = 8, .per_caller_concurrent = 0, .rate_per_minute = 60, .rate_burst = 1}});
  run::Draft high_floor = Snippet();
  high_floor.minimum_isolation = "kernel";
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(RuleOf(world.Run(world.CallOf(high_floor))), Rule::kInsufficientIsolation);
  }
  EXPECT_TRUE(world.Run(world.CallOf(Snippet()))->has_value());
  EXPECT_EQ(RuleOf(world.Run(world.CallOf(Snippet()))), Rule::kAtCapacity);
}

TEST(Dispatcher, D38_AFloorIsToldBeforeALackOfSlots) {
  World world({.quotas = kOneSlot});
  world.provider.Hold();
  world.Run(world.CallOf(Snippet()));
  run::Draft high_floor = Snippet();
  high_floor.minimum_isolation = "kernel";
  EXPECT_EQ(RuleOf(world.Run(world.CallOf(high_floor))), Rule::kInsufficientIsolation);
  EXPECT_EQ(RuleOf(world.Run(world.CallOf(Snippet()))), Rule::kAtCapacity);
}

// DIS-1
TEST(Dispatcher, GivesTheSlotBackHoweverTheRunEnds) {
  World world({.quotas = kOneSlot});
  world.provider.AnswerNext(base::Refusal{Rule::kUnavailable, "no sandbox"});
  EXPECT_EQ(RuleOf(world.Run(world.CallOf(Snippet()))), Rule::kUnavailable);
  world.provider.AnswerNext(base::Fault{base::FaultKind::kInternal, "lost"});
  EXPECT_NE(base::FaultIn(*world.Run(world.CallOf(Snippet()))), nullptr);
  EXPECT_TRUE(world.Run(world.CallOf(Snippet()))->has_value());
  EXPECT_EQ(world.dispatcher.totals().in_flight, 0);
}

// DIS-1
TEST(Dispatcher, D42_KeepsTheSlotUntilASandboxThatOutlivesItsAnswerIsGone) {
  World world({.quotas = kOneSlot});
  world.provider.DeleteLate();
  EXPECT_TRUE(world.Run(world.CallOf(Snippet()))->has_value());
  EXPECT_EQ(world.dispatcher.totals().in_flight, 1);
  EXPECT_EQ(RuleOf(world.Run(world.CallOf(Snippet()))), Rule::kAtCapacity);
  world.provider.EndDeletes();
  EXPECT_EQ(world.dispatcher.totals().in_flight, 0);
  EXPECT_TRUE(world.Run(world.CallOf(Snippet()))->has_value());
}

TEST(Dispatcher, TheSlotIsFreeBeforeTheAnswerIsTold) {
  World world({.quotas = kOneSlot});
  int in_flight = -1;
  world.dispatcher.Run(world.CallOf(Snippet()), [&](const base::Result<Answer>& answer) {
    EXPECT_TRUE(answer.has_value());
    in_flight = world.dispatcher.totals().in_flight;
  });
  EXPECT_EQ(in_flight, 0);
}

TEST(Dispatcher, SaysWhetherTheCallerLeftOrItsOwnDeadlinePassed) {
  struct Case {
    std::chrono::milliseconds waited;
    base::FaultKind kind;
    const char* logged;
  };
  for (const Case& expected : {Case{999ms, base::FaultKind::kCanceled, "the caller left"},
                               Case{1000ms, base::FaultKind::kDeadline, "the caller's own deadline passed"}}) {
    World world;
    world.provider.Hold();
    std::stop_source stop;
    Call call = world.CallOf(Snippet());
    call.client_gone = stop.get_token();
    call.exchange_deadline = world.clock.Steady() + 1000ms;
    std::optional<base::Result<Answer>> outcome;
    world.dispatcher.Run(std::move(call), [&](base::Result<Answer> answer) { outcome.emplace(std::move(answer)); });
    world.clock.Advance(expected.waited);
    stop.request_stop();
    ASSERT_TRUE(outcome);
    const base::Fault* fault = base::FaultIn(*outcome);
    ASSERT_NE(fault, nullptr);
    EXPECT_EQ(fault->kind, expected.kind) << fault->detail;
    EXPECT_TRUE(world.log.Contains(expected.logged));
  }
}

// DIS-4
TEST(Dispatcher, D54_KeepsTheTextOfAFaultInTheLogUnderAnId) {
  World world;
  const std::string text = "read /srv/plimsoll/socket: " + std::string(5000, 'x');
  world.provider.AnswerNext(base::Fault{base::FaultKind::kInternal, text});
  const auto outcome = world.Run(world.CallOf(Snippet()));
  const base::Fault* fault = base::FaultIn(*outcome);
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->detail.find("/srv"), std::string::npos);
  ASSERT_EQ(fault->detail.rfind("internal error ", 0), 0U);
  const std::string id = fault->detail.substr(15, 16);
  EXPECT_TRUE(world.log.Contains("error_id=" + id));
  EXPECT_TRUE(world.log.Contains("/srv/plimsoll/socket"));
  EXPECT_FALSE(world.log.Contains(text));  // cut to 4096 bytes
}

TEST(Dispatcher, D51_WritesOneAuditLineWithSizesAndNoContent) {
  World world;
  run::Draft draft = Snippet("secret_marker()");
  draft.trace_id = "job-7";
  world.provider.AnswerNext(testkit::SnippetReport(world.provider.Offer(), isolation::Tier::kProcess, "output_marker"));
  world.Run(world.CallOf(draft));
  const auto records = world.log.Records();
  ASSERT_EQ(records.size(), 1U);
  const std::string& line = records[0].text;
  EXPECT_EQ(line.rfind("code run op=javascript caller=alice sandbox=fake isolation=process duration_ms=", 0), 0U)
      << line;
  for (const char* field :
       {" code_bytes=15", " grant_profile=", " exit_code=0", " timed_out=false", " trace_id=job-7"}) {
    EXPECT_NE(line.find(field), std::string::npos) << field << " in " << line;
  }
  EXPECT_EQ(line.find("marker"), std::string::npos) << line;  // D52
}

TEST(Dispatcher, D53_SaysThatATraceIdWasRejectedAndNotWhichOne) {
  World world;
  run::Draft draft = Snippet();
  draft.trace_id = "a/b";
  EXPECT_TRUE(world.Run(world.CallOf(draft))->has_value());
  EXPECT_TRUE(world.log.Contains("trace_id_rejected=true"));
  EXPECT_FALSE(world.log.Contains("a/b"));
}

TEST(Dispatcher, ARefusedCallHasNoAuditLine) {
  World world;
  run::Draft high_floor = Snippet();
  high_floor.minimum_isolation = "vm";
  world.Run(world.CallOf(high_floor));
  EXPECT_TRUE(world.log.Records().empty());
  EXPECT_TRUE(world.provider.Principals().empty());
  EXPECT_EQ(world.dispatcher.totals().refusals_by_reason.at(static_cast<std::size_t>(base::Reason::kIsolation)), 1U);
}

TEST(Dispatcher, RefusesACallerWhoseDeadlineHasPassedOrWhoHasLeft) {
  World world;
  Call late = world.CallOf(Snippet());
  late.exchange_deadline = world.clock.Steady();
  EXPECT_EQ(RuleOf(world.Run(std::move(late))), Rule::kDeadlinePassed);
  std::stop_source gone;
  gone.request_stop();
  Call left = world.CallOf(Snippet());
  left.client_gone = gone.get_token();
  EXPECT_EQ(RuleOf(world.Run(std::move(left))), Rule::kCanceled);
  EXPECT_TRUE(world.provider.Principals().empty());
}

// Hardened mode lends every request the floor kernel.
TEST(Dispatcher, D47_ARunWithoutAFloorIsRefusedOnceTheEvidenceDropsBelowTheOperatorsFloor) {
  World world({.operator_floor = isolation::Floor::At(isolation::Tier::kKernel), .quotas = kOneSlot});
  world.provider.SetTier(isolation::Tier::kKernel);
  EXPECT_TRUE(world.Run(world.CallOf(Snippet()))->has_value());
  world.provider.SetTier(isolation::Tier::kContainer);
  EXPECT_EQ(RuleOf(world.Run(world.CallOf(Snippet()))), Rule::kInsufficientIsolation);
  world.provider.SetTier(std::nullopt);
  EXPECT_EQ(RuleOf(world.Run(world.CallOf(Snippet()))), Rule::kInsufficientIsolation);
  EXPECT_EQ(world.provider.Principals().size(), 1U);
}

TEST(Dispatcher, TheOperatorsFloorIsNamedWhenItIsTheStronger) {
  World world({.operator_floor = isolation::Floor::At(isolation::Tier::kKernel), .quotas = {}});
  const auto outcome = world.Run(world.CallOf(Snippet()));
  ASSERT_NE(base::RefusalIn(*outcome), nullptr);
  EXPECT_NE(base::RefusalIn(*outcome)->message.find("requested minimum kernel"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::dispatch
