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
  const std::string text = CheckJson(plan, environment, nullptr);
  EXPECT_EQ((text + CheckText(plan, environment, nullptr)).find(token), std::string::npos);
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
  const json report = json::parse(CheckJson(plan, environment, nullptr));
  EXPECT_EQ(report["errors"].size(), 2U);
}

TEST(Check, EscapesWhatTheEnvironmentHolds) {
  const Environment environment = {{"SANDBOX_PROVIDER", "a\nb\xff\x1b"}, {"SANDBOX_\n\xff", "1"}};
  const Plan plan = PlanOf(environment);
  EXPECT_TRUE(json::accept(CheckJson(plan, environment, nullptr)));
  EXPECT_EQ(CheckText(plan, environment, nullptr).find('\x1b'), std::string::npos);
}

TEST(Check, ShowsWhatIsInForceAndNoProseAsAValue) {
  const Environment environment = {{"SANDBOX_PROVIDER", "docker"}, {"PLIMSOLL_INSECURE", "1"}};
  const Plan plan = MakePlan({environment, {"docker"}, nullptr});
  const json report = json::parse(CheckJson(plan, environment, nullptr));
  EXPECT_TRUE((*SettingIn(report, "PLIMSOLL_LIBEXEC"))["value"].is_null());
  EXPECT_TRUE((*SettingIn(report, "PLIMSOLL_GRANTS_FILE"))["value"].is_null());
  EXPECT_EQ((*SettingIn(report, "SANDBOX_MEMORY_MB"))["value"], "256");
  EXPECT_EQ((*SettingIn(report, "SANDBOX_CPUS"))["value"], "1");
  EXPECT_EQ((*SettingIn(report, "SANDBOX_DISK_MB"))["value"], "160");
  EXPECT_EQ((*SettingIn(report, "SANDBOX_GUEST_UID"))["value"], "61000");
  EXPECT_EQ((*SettingIn(report, "SANDBOX_DOCKER_IMAGE"))["value"], "node:22-alpine");
  const std::string text = CheckText(plan, environment, nullptr);
  EXPECT_NE(text.find("  PLIMSOLL_LIBEXEC is unset (path, default): the daemon's own folder"), std::string::npos);
  EXPECT_NE(text.find("  SANDBOX_RUN_POOL = 4 (int, default)\n"), std::string::npos);
  EXPECT_NE(text.find("  H1  not proved: SANDBOX_DOCKER_RUNTIME: docker, isolation not proved\n"), std::string::npos);
  EXPECT_NE(text.find("  H17 met: PLIMSOLL_TLS_KEY: unset, no key is in use\n"), std::string::npos);
  EXPECT_NE(text.find("  H12 met: SANDBOX_RATE_PER_MIN: 30 starts a minute, burst 30\n"), std::string::npos);
}

TEST(Check, NeverCallsWasmFitForHardenedMode) {
  const Environment environment = {{"SANDBOX_PROVIDER", "wasm"}, {"PLIMSOLL_INSECURE", "1"}};
  const Plan plan = PlanOf(environment);
  EXPECT_EQ(plan.rules[0].state, RuleState::kViolated);
}

}  // namespace
}  // namespace plimsoll::daemon
