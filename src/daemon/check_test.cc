#include "daemon/check.h"
#include "daemon/settings_words.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace plimsoll::daemon {
namespace {

using nlohmann::json;

Plan PlanOf(const Environment& environment) { return MakePlan({environment, {"wasm"}, nullptr}); }

const json* SettingIn(const json& report, std::string_view name) {
  for (const json& setting : report["settings"]) {
    if (setting["name"] == name) {
      return &setting;
    }
  }
  return nullptr;
}

TEST(Check, D66_ListsEverySettingWithOriginAndNoSecret) {
  const std::string token = "0123456789abcdef0123456789abcdef";
  const Environment environment = {{"PLIMSOLL_TOKEN", token}, {"SANDBOX_PROVIDER", "wasm"}};
  const Plan plan = PlanOf(environment);
  const std::string text = CheckJson(plan, environment);
  EXPECT_EQ((text + CheckText(plan, environment)).find(token), std::string::npos);
  const json report = json::parse(text);
  EXPECT_EQ(report["settings"].size(), kSettingCount);
  EXPECT_EQ(*SettingIn(report, "PLIMSOLL_TOKEN"),
            json({{"name", "PLIMSOLL_TOKEN"}, {"value", "set"}, {"type", "string"}, {"origin", "environment"}}));
  EXPECT_EQ((*SettingIn(report, "SANDBOX_PER_KEY_CONCURRENT"))["value"], "4");
  EXPECT_EQ((*SettingIn(report, "SANDBOX_PER_KEY_CONCURRENT"))["origin"], "default");
  EXPECT_EQ(report["exit"], 3);
  EXPECT_EQ(CheckExitCode(plan), 3);
  EXPECT_EQ(report["rules"][0]["id"], "H1");
}

TEST(Check, D66_ListsAllErrors) {
  const Environment environment = {{"SANDBOX_RATE_PER_MIN", "abc"}, {"SANDBOX_MAX_CONCURRENT", "0"}};
  const Plan plan = PlanOf(environment);
  EXPECT_EQ(CheckExitCode(plan), 1);
  const json report = json::parse(CheckJson(plan, environment));
  EXPECT_EQ(report["errors"].size(), 2U);
}

TEST(Check, EscapesWhatTheEnvironmentHolds) {
  const Environment environment = {{"SANDBOX_PROVIDER", "a\nb\xff\x1b"}, {"SANDBOX_\n\xff", "1"}};
  const Plan plan = PlanOf(environment);
  EXPECT_TRUE(json::accept(CheckJson(plan, environment)));
  EXPECT_EQ(CheckText(plan, environment).find('\x1b'), std::string::npos);
}

TEST(Check, NeverCallsWasmFitForHardenedMode) {
  const Environment environment = {{"SANDBOX_PROVIDER", "wasm"}, {"PLIMSOLL_INSECURE", "1"}};
  const Plan plan = PlanOf(environment);
  EXPECT_EQ(plan.rules[0].state, RuleState::kViolated);
}

}  // namespace
}  // namespace plimsoll::daemon
