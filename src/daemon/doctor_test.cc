#include "daemon/doctor.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "daemon/check.h"
#include "records/probes.h"
#include "testkit/fake_clock.h"
#include "testkit/fake_provider.h"

namespace plimsoll::daemon {
namespace {

using nlohmann::json;
using Result = Examination::Result;

isolation::ProbeReport Battery() {
  using isolation::Probe;
  return {
      .provider = "docker",
      .tier = isolation::Tier::kKernel,
      .environment = "docker-image:sha256:00",
      .policy = "",
      .daemon_version = "0.2.0",
      .runtime_version = "runsc release-1",
      .started_unix_ms = 1'700'000'000'000,
      .ended_unix_ms = 1'700'000'004'000,
      .probes = {{"snippet/pids", Probe::Outcome::kPass, "forked past the limit", "refused at 256", 1'700'000'001'500},
                 {"snippet/root-write", Probe::Outcome::kSkip, "wrote to /", "not\x1b here", 1'700'000'002'000}}};
}

// A plan of docker, with everything in order but hardened mode's rules, around a provider that the test sets up.
struct World {
  explicit World(Environment more = {}) : environment(std::move(more)) {
    environment.emplace_back("SANDBOX_PROVIDER", "docker");
    environment.emplace_back("PLIMSOLL_INSECURE", "1");
    plan = MakePlan({environment, {"docker"}, [this](const ProviderSettings&) -> Built {
                       auto made = std::make_unique<testkit::FakeProvider>(testkit::SessionProfile());
                       provider = made.get();
                       return std::unique_ptr<provider::Provider>(std::move(made));
                     }});
  }
  using Built = base::Result<std::unique_ptr<provider::Provider>>;

  Environment environment;
  testkit::FakeProvider* provider = nullptr;
  Plan plan;
  testkit::FakeClock clock;
};

TEST(Doctor, WithoutSmokeTriesThePreflightAndProvesNothing) {
  World world;
  world.provider->SetTier(isolation::Tier::kKernel);
  world.provider->SetSmokeTest(base::Fault{base::FaultKind::kInternal, "must not be run"});
  const Examination examination = Examine(world.plan, world.clock, Depth::kPreflight);
  EXPECT_EQ(examination.preflight, Result::kPassed);
  EXPECT_EQ(examination.smoke_test, Result::kNotTried);
  EXPECT_EQ(examination.battery, nullptr);
  EXPECT_EQ(world.plan.rules[0].id, "H1");
  EXPECT_EQ(world.plan.rules[0].state, RuleState::kNotProved);
  EXPECT_EQ(CheckExitCode(world.plan), 3);  // other rules are violated
}

TEST(Doctor, WithSessionsOnOneMustBeProved) {
  World world;
  world.provider->SetTier(isolation::Tier::kKernel);
  world.plan.sessions = {.caps = {.max = 1}, .lifetime = std::chrono::minutes(1), .idle = {}};
  const Examination examination = Examine(world.plan, world.clock, Depth::kSmokeTest);
  EXPECT_EQ(examination.smoke_test, Result::kPassed);
  EXPECT_EQ(examination.session, Result::kFailed);
  ASSERT_EQ(world.plan.errors.size(), 1U);
  EXPECT_EQ(world.plan.errors[0].setting, "SANDBOX_MAX_SESSIONS");
  EXPECT_NE(world.plan.errors[0].message.find("did not show that a call leaves a file"), std::string::npos);
  EXPECT_TRUE(world.provider->Sandboxes().at(0)->gone());
  const std::string text = CheckText(world.plan, world.environment, &examination);
  EXPECT_NE(text.find("\n  smoke test passed\n  session failed: see the start errors\n"), std::string::npos) << text;
}

TEST(Doctor, WithSmokeProvesTheTierAndListsTheBattery) {
  World world;
  world.provider->SetTier(isolation::Tier::kKernel);
  world.provider->SetProbes(Battery());
  const Examination examination = Examine(world.plan, world.clock, Depth::kSmokeTest);
  EXPECT_EQ(examination.smoke_test, Result::kPassed);
  EXPECT_EQ(world.plan.rules[0].state, RuleState::kMet);
  const std::string text = CheckText(world.plan, world.environment, &examination);
  EXPECT_NE(text.find("\nProvider docker\n  preflight passed\n  smoke test passed\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  docker, isolation kernel, runsc release-1, 2023-11-14T22:13:20.000000Z to "
                      "2023-11-14T22:13:24.000000Z\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  pass  snippet/pids        22:13:21.500  forked past the limit: refused at 256\n"),
            std::string::npos);
  EXPECT_NE(text.find("  skip  snippet/root-write  22:13:22.000  wrote to /: not\\u001b here\n"), std::string::npos);
  EXPECT_NE(text.find("  H1  met: SANDBOX_DOCKER_RUNTIME: docker, isolation kernel\n"), std::string::npos);
}

TEST(Doctor, WritesTheSameAsJson) {
  World world;
  world.provider->SetTier(isolation::Tier::kContainer);
  world.provider->SetProbes(Battery());
  const Examination examination = Examine(world.plan, world.clock, Depth::kSmokeTest);
  const json report = json::parse(CheckJson(world.plan, world.environment, &examination));
  EXPECT_EQ(report["preflight"], "passed");
  EXPECT_EQ(report["smoke_test"], "passed");
  EXPECT_EQ(report["probes"]["runtime_version"], "runsc release-1");
  EXPECT_EQ(report["probes"]["sha256"], records::ProbesDigest(records::ProbesOf(Battery())));
  EXPECT_EQ(report["probes"]["probes"][0], json({{"probe", "snippet/pids"},
                                                 {"outcome", "pass"},
                                                 {"tried", "forked past the limit"},
                                                 {"happened", "refused at 256"},
                                                 {"at_unix_ms", 1'700'000'001'500}}));
  EXPECT_EQ(report["rules"][0]["state"], "violated");
  EXPECT_EQ(report["exit"], 3);
  EXPECT_FALSE(json::parse(CheckJson(world.plan, world.environment, nullptr)).contains("preflight"));
}

TEST(Doctor, AFailedPreflightIsAStartErrorAndNothingElseIsTried) {
  World world;
  world.provider->SetPreflight(base::Refusal{base::Rule::kNotProven, "the runtime nope is not registered"});
  const Examination examination = Examine(world.plan, world.clock, Depth::kSmokeTest);
  EXPECT_EQ(examination.preflight, Result::kFailed);
  EXPECT_EQ(examination.smoke_test, Result::kNotTried);
  ASSERT_EQ(world.plan.errors.size(), 1U);
  EXPECT_EQ(world.plan.errors[0].setting, "SANDBOX_PROVIDER");
  EXPECT_EQ(world.plan.errors[0].message, "the provider docker is not ready: the runtime nope is not registered");
  EXPECT_EQ(CheckExitCode(world.plan), 1);
}

TEST(Doctor, ShowsTheBatteryThatFailed) {
  World world;
  world.provider->SetSmokeTest(base::Refusal{base::Rule::kNotProven, "snippet/pids: not applied"});
  world.provider->SetProbes(Battery());
  const Examination examination = Examine(world.plan, world.clock, Depth::kSmokeTest);
  EXPECT_EQ(examination.smoke_test, Result::kFailed);
  ASSERT_NE(examination.battery, nullptr);
  EXPECT_EQ(world.plan.rules[0].state, RuleState::kNotProved);  // a failed proof proves no tier
  EXPECT_EQ(CheckExitCode(world.plan), 1);
}

TEST(Doctor, D8_APassedProofBelowTheMinimumWouldNotStart) {
  World world(Environment{{"SANDBOX_MIN_ISOLATION", "kernel"}});
  world.provider->SetTier(isolation::Tier::kContainer);
  const Examination examination = Examine(world.plan, world.clock, Depth::kSmokeTest);
  EXPECT_EQ(examination.smoke_test, Result::kPassed);
  ASSERT_EQ(world.plan.errors.size(), 1U);
  EXPECT_EQ(world.plan.errors[0].setting, "SANDBOX_MIN_ISOLATION");
  EXPECT_EQ(world.plan.errors[0].message, "the provider docker proved tier container, below the minimum kernel");
}

TEST(Doctor, TriesNothingWhereAStartWouldNotComeThatFar) {
  World world(Environment{{"SANDBOX_RATE_PER_MIN", "x"}});
  EXPECT_EQ(world.provider, nullptr);
  const Examination examination = Examine(world.plan, world.clock, Depth::kSmokeTest);
  EXPECT_EQ(examination.preflight, Result::kNotTried);
  EXPECT_EQ(CheckExitCode(world.plan), 1);
}

TEST(Proof, D44_HardenedModeRefusesAfterTheProofAndNamesIsolation) {
  World world;
  world.plan.hardened = true;
  world.provider->SetTier(isolation::Tier::kContainer);
  ASSERT_FALSE(ProveProvider(world.plan, world.clock, Depth::kSmokeTest));
  const auto refused = JudgeHardened(world.plan);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->setting, "PLIMSOLL_HARDENED");
  EXPECT_EQ(refused->message.rfind("H1 SANDBOX_DOCKER_RUNTIME: docker, isolation container", 0), 0U)
      << refused->message;
  world.plan.hardened = false;
  EXPECT_FALSE(JudgeHardened(world.plan));
}

}  // namespace
}  // namespace plimsoll::daemon
