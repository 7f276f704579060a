#include "providers/disabled/provider.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "run/request.h"

namespace plimsoll::disabled {
namespace {

base::Result<run::Report> AnswerTo(run::Draft draft) {
  draft.protocol = 5;
  auto request = run::Request::Validate(std::move(draft), run::Request::Cells::kRefused);
  EXPECT_TRUE(request) << base::TextOf(request.error());
  std::optional<base::Result<run::Report>> answer;
  Provider provider;
  provider.Run({.request = *request, .principal = "alice", .stop = {}},
               [&answer](base::Result<run::Report> report) { answer.emplace(std::move(report)); });
  EXPECT_TRUE(answer.has_value());
  return std::move(*answer);
}

run::Draft Snippet() {
  run::Draft draft;
  draft.payload = run::JavaScript{.code = "1", .grant_profile = {}};
  return draft;
}

void ExpectDisabled(run::Draft draft) {
  const auto answer = AnswerTo(std::move(draft));
  ASSERT_NE(base::RefusalIn(answer), nullptr);
  EXPECT_EQ(*base::RefusalIn(answer), (base::Refusal{base::Rule::kDisabled, "code execution is disabled"}));
}

// DIS-1: floor, software rule and grant profile are not looked at.
TEST(Disabled, P1_W36_RefusesEveryRunInTheWordsOfTheProtocol) {
  ExpectDisabled(Snippet());
  run::Draft floor = Snippet();
  floor.minimum_isolation = "vm";
  ExpectDisabled(floor);
  run::Draft grant = Snippet();
  std::get<run::JavaScript>(grant.payload).grant_profile = "orders";
  ExpectDisabled(grant);
  run::Draft project;
  project.payload = run::Project{.files = {}, .steps = {"true"}, .artifacts = {}, .grant_profile = {}};
  ExpectDisabled(project);
}

TEST(Disabled, P1_OffersNothingAtTierNone) {
  const Provider provider;
  EXPECT_EQ(provider.Tier(), isolation::Tier::kNone);
  const isolation::Profile& offer = provider.Offer();
  EXPECT_EQ(offer.provider, "disabled");
  EXPECT_FALSE(offer.enabled);
  EXPECT_FALSE(offer.javascript || offer.project || offer.module || offer.session);
  EXPECT_FALSE(offer.javascript_grants || offer.project_grants);
}

TEST(Disabled, IsReadyAtOnceAndDrainsAtOnce) {
  Provider provider;
  EXPECT_TRUE(provider.Preflight({}));
  EXPECT_TRUE(provider.SmokeTest({}));
  EXPECT_TRUE(provider.Drain({}));
}

}  // namespace
}  // namespace plimsoll::disabled
