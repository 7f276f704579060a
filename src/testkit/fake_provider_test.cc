#include "testkit/fake_provider.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "run/request.h"

namespace plimsoll::testkit {
namespace {

using Answer = std::optional<base::Result<run::Report>>;

run::Request Snippet(std::string code = "1") {
  run::Draft draft;
  draft.protocol = 5;
  draft.payload = run::JavaScript{.code = std::move(code), .grant_profile = {}};
  return run::Request::Validate(std::move(draft), run::Request::Cells::kRefused).value();
}

base::SteadyTime InAWhile() { return std::chrono::steady_clock::now() + std::chrono::seconds(10); }

void Ask(FakeProvider& provider, const run::Request& request, Answer& answer, std::stop_token stop = {}) {
  provider.Run({.request = request, .principal = "alice", .stop = std::move(stop)},
               [&answer](base::Result<run::Report> report) { answer.emplace(std::move(report)); });
}

TEST(FakeProvider, AnswersAtOnceWithTheCodeAsOutput) {
  FakeProvider provider;
  const run::Request request = Snippet("hello");
  Answer answer;
  Ask(provider, request, answer);
  ASSERT_TRUE(answer && answer->has_value());
  EXPECT_EQ((*answer)->provider, "fake");
  EXPECT_EQ((*answer)->tier, isolation::Tier::kProcess);
  EXPECT_EQ(std::get<run::JavaScriptResult>((*answer)->result).stdout_bytes, "hello");
  EXPECT_EQ(provider.Principals(), std::vector<std::string>{"alice"});
}

TEST(FakeProvider, GivesTheAnswersItWasToldAndThenItsOwnAgain) {
  FakeProvider provider;
  provider.AnswerNext(base::Refusal{base::Rule::kNotProven, "moved"});
  const run::Request request = Snippet();
  Answer first;
  Answer second;
  Ask(provider, request, first);
  Ask(provider, request, second);
  ASSERT_TRUE(first);
  EXPECT_NE(base::RefusalIn(*first), nullptr);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->has_value());
}

TEST(FakeProvider, StatesTheTierItWasTold) {
  FakeProvider provider;
  provider.SetTier(std::nullopt);
  EXPECT_EQ(provider.Tier(), std::nullopt);
}

TEST(FakeProvider, HoldsRunsUntilTheyAreReleased) {
  FakeProvider provider;
  provider.Hold();
  const run::Request request = Snippet();
  Answer answer;
  Ask(provider, request, answer);
  EXPECT_FALSE(answer);
  EXPECT_TRUE(provider.AwaitHeld(1, InAWhile()));
  EXPECT_NE(base::FaultIn(provider.Drain(std::chrono::steady_clock::now())), nullptr);
  provider.Release();
  EXPECT_TRUE(answer && answer->has_value());
  EXPECT_TRUE(provider.Drain(InAWhile()));
  EXPECT_FALSE(provider.ReleaseOne());
}

TEST(FakeProvider, EndsAHeldRunWhenItsCallerLeaves) {
  FakeProvider provider;
  provider.Hold();
  const run::Request request = Snippet();
  std::stop_source stop;
  Answer answer;
  Ask(provider, request, answer, stop.get_token());
  stop.request_stop();
  ASSERT_TRUE(answer);
  ASSERT_NE(base::FaultIn(*answer), nullptr);
  EXPECT_EQ(base::FaultIn(*answer)->kind, base::FaultKind::kCanceled);

  Answer late;
  Ask(provider, request, late, stop.get_token());
  EXPECT_TRUE(late);  // whose caller had left before it came
}

TEST(FakeProvider, AnswersWhatIsStillHeldWhenItGoes) {
  const run::Request request = Snippet();
  Answer answer;
  {
    FakeProvider provider;
    provider.Hold();
    Ask(provider, request, answer);
  }
  ASSERT_TRUE(answer);
  EXPECT_NE(base::FaultIn(*answer), nullptr);
}

}  // namespace
}  // namespace plimsoll::testkit
