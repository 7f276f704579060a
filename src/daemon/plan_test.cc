#include "daemon/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "daemon/plan_for_test.h"

namespace plimsoll::daemon {
namespace {

TEST(Plan, D1_StartsDisabledOnLoopbackAndWarnsThatAuthIsOff) {
  const Plan plan = PlanOf({});
  EXPECT_EQ(Blamed(plan), Names{});
  EXPECT_EQ(plan.posture.facts.name, "disabled");
  EXPECT_EQ(plan.posture.rpc, (Address{"127.0.0.1", 8746}));
  EXPECT_EQ(plan.posture.metrics, (Address{"127.0.0.1", 9464}));
  ASSERT_EQ(plan.notices.size(), 1U);
  EXPECT_EQ(plan.notices[0].message, "authentication is off: anyone may call");
}

TEST(Plan, D4_WarnsOfAnUnknownVariableWithoutItsValue) {
  const Plan plan = PlanOf({{"SANDBOX_MAX_CONCURENT", "4"}});
  EXPECT_EQ(Blamed(plan), Names{});
  EXPECT_EQ(plan.notices[0].setting, "SANDBOX_MAX_CONCURENT");
  EXPECT_EQ(plan.notices[0].detail, "");
  EXPECT_EQ(Blamed(PlanOf({{"SANDBOX_X", "1"}, {"PLIMSOLL_STRICT_CONFIG", "1"}})), Names{"SANDBOX_X"});
}

TEST(Plan, D6_RefusesATypoInASafeguard) {
  EXPECT_EQ(Blamed(PlanOf({{"PLIMSOLL_HARDENED", "yes"}})), Names{"PLIMSOLL_HARDENED"});
  EXPECT_EQ(Blamed(PlanOf({{"SANDBOX_REQUIRE_PINNED_IMAGES", "on"}})), Names{"SANDBOX_REQUIRE_PINNED_IMAGES"});
  EXPECT_TRUE(PlanOf({{"PLIMSOLL_HARDENED", "TRUE"}}).hardened);
  EXPECT_TRUE(PlanOf({{"PLIMSOLL_HARDENED", " 1 "}}).hardened);
}

TEST(Plan, D7_P2_TakesAProviderInAnyCaseAndListsTheKnownNames) {
  EXPECT_EQ(PlanOf(With(" WASM ", {})).posture.facts.name, "wasm");
  const Plan plan = PlanOf(With("systemd", {}));
  ASSERT_EQ(Blamed(plan), Names{"SANDBOX_PROVIDER"});
  EXPECT_NE(plan.errors[0].message.find("wasm docker openshell e2b dockercloud agentsandbox microvm"),
            std::string::npos);
}

TEST(Plan, RefusesAKnownProviderThatTheBuildDoesNotInclude) {
  const Plan plan = PlanOf(With("docker", {}), {"wasm"});
  ASSERT_EQ(Blamed(plan), Names{"SANDBOX_PROVIDER"});
  EXPECT_EQ(plan.errors[0].message, "this build does not include docker; it has: wasm");
}

TEST(Plan, D8_RefusesAMinimumThatIsNoTier) {
  EXPECT_EQ(Blamed(PlanOf({{"SANDBOX_MIN_ISOLATION", "none"}})), Names{"SANDBOX_MIN_ISOLATION"});
  EXPECT_EQ(PlanOf({{"SANDBOX_MIN_ISOLATION", " VM "}}).minimum, isolation::Floor::At(isolation::Tier::kVm));
}

TEST(Plan, D9_P4_RefusesADimensionTheProviderCannotEnforce) {
  for (const char* setting : {"SANDBOX_CPUS", "SANDBOX_PIDS", "SANDBOX_DISK_MB"}) {
    EXPECT_EQ(Blamed(PlanOf(With("wasm", {{setting, "10"}}))), Names{setting});
    EXPECT_EQ(Blamed(PlanOf(With("wasm", {{setting, "0"}}))), Names{});
  }
  EXPECT_EQ(Blamed(PlanOf(With("e2b", {{"SANDBOX_PIDS", "10"}}))), Names{"SANDBOX_PIDS"});
  EXPECT_EQ(Blamed(PlanOf(With("openshell", {{"SANDBOX_PIDS", "10"}}))), Names{"SANDBOX_PIDS"});
  EXPECT_EQ(Blamed(PlanOf(With("wasm", {{"SANDBOX_MEMORY_MB", "128"}}))), Names{});
  for (const char* enough : {"0", "16"}) {
    EXPECT_EQ(Blamed(PlanOf(With("wasm", {{"SANDBOX_MEMORY_MB", enough}}))), Names{}) << enough;
  }
  for (const char* too_small : {"1", "15"}) {
    const Plan plan = PlanOf(With("wasm", {{"SANDBOX_MEMORY_MB", too_small}}));
    ASSERT_EQ(Blamed(plan), Names{"SANDBOX_MEMORY_MB"}) << too_small;
    EXPECT_NE(plan.errors[0].message.find(std::string(too_small) + " is below 16 MiB"), std::string::npos);
  }
}

TEST(Plan, D10_P3_RefusesBadNumbersOfTheEnvelope) {
  for (const char* bad : {"-1", "NaN", "inf", "0x1p1"}) {
    EXPECT_EQ(Blamed(PlanOf(With("docker", {{"SANDBOX_CPUS", bad}}))), Names{"SANDBOX_CPUS"});
  }
  for (const char* good : {"0.5", "1e0"}) {
    EXPECT_EQ(Blamed(PlanOf(With("docker", {{"SANDBOX_CPUS", good}}))), Names{});
  }
  for (const char* bad : {"-1", "x"}) {
    EXPECT_EQ(Blamed(PlanOf({{"SANDBOX_MEMORY_MB", bad}})), Names{"SANDBOX_MEMORY_MB"});
  }
}

TEST(Plan, D12_RefusesAGuestUserWithoutDocker) {
  EXPECT_EQ(Blamed(PlanOf(With("wasm", {{"SANDBOX_GUEST_UID", "61000"}}))), Names{"SANDBOX_GUEST_UID"});
  EXPECT_EQ(Blamed(PlanOf(With("docker", {{"SANDBOX_GUEST_UID", "61000"}}))), Names{});
  for (const char* outside : {"0", "65533"}) {
    EXPECT_EQ(Blamed(PlanOf(With("docker", {{"SANDBOX_GUEST_UID", outside}}))), Names{"SANDBOX_GUEST_UID"});
  }
}

// START-3
TEST(Plan, GivesDockerWhatTheOperatorSetAndTheDefaultsOfTheRest) {
  const Plan plain = PlanOf(With("docker", {}));
  EXPECT_EQ(Blamed(plain), Names{});
  const docker::Settings& unset = plain.provider_settings.docker;
  EXPECT_EQ(unset.snippet_image, "node:22-alpine");
  EXPECT_EQ(unset.project_image, "plimsoll/sandbox:latest");
  EXPECT_EQ(unset.runtime, "");
  EXPECT_EQ(unset.guest_uid, 61'000U);
  EXPECT_EQ(unset.memory_mb, 256U);
  EXPECT_EQ(unset.cpus, 1);
  EXPECT_EQ(unset.pids, 256U);
  EXPECT_EQ(unset.disk_mb, 0U);
  EXPECT_FALSE(unset.daemon_version.empty());
  const Plan set = PlanOf(With("docker", {{"SANDBOX_DOCKER_IMAGE", " a b"},
                                          {"SANDBOX_DOCKER_PROJECT_IMAGE", "p:1"},
                                          {"SANDBOX_DOCKER_RUNTIME", "runsc"},
                                          {"SANDBOX_DOCKER_SECCOMP", "/etc/profile.json"},
                                          {"SANDBOX_REQUIRE_PINNED_IMAGES", "1"},
                                          {"SANDBOX_GUEST_UID", "00061"},
                                          {"SANDBOX_MEMORY_MB", "512"},
                                          {"SANDBOX_CPUS", "0.5"},
                                          {"SANDBOX_PIDS", "64"},
                                          {"SANDBOX_DISK_MB", "100"},
                                          {"DOCKER_HOST", "unix:///s"},
                                          {"DOCKER_CONTEXT", "c"},
                                          {"DOCKER_CONFIG", "/cfg"},
                                          {"DOCKER_DEFAULT_PLATFORM", "linux/arm64"},
                                          {"HOME", "/home/a"},
                                          {"SANDBOX_TOTAL_MEMORY_MB", "2048"}}));
  EXPECT_EQ(Blamed(set), Names{});
  const docker::Settings& docker = set.provider_settings.docker;
  EXPECT_EQ(docker.snippet_image, " a b");  // judged by the preflight, not trimmed into something else
  EXPECT_EQ(docker.project_image, "p:1");
  EXPECT_EQ(docker.runtime, "runsc");
  EXPECT_EQ(docker.seccomp, "/etc/profile.json");
  EXPECT_TRUE(docker.require_pinned_images);
  EXPECT_EQ(docker.guest_uid, 61U);
  EXPECT_EQ(docker.memory_mb, 512U);
  EXPECT_EQ(docker.cpus, 0.5);
  EXPECT_EQ(docker.pids, 64U);
  EXPECT_EQ(docker.disk_mb, 100U);
  EXPECT_EQ(docker.docker_host, "unix:///s");
  EXPECT_EQ(docker.docker_context, "c");
  EXPECT_EQ(docker.docker_config, "/cfg");
  EXPECT_EQ(docker.default_platform, "linux/arm64");
  EXPECT_EQ(docker.home, "/home/a");
  EXPECT_EQ(docker.max_concurrent, 4);
  EXPECT_EQ(docker.total_memory_mb, 2048U);
}

TEST(Plan, RefusesWhatIsNotBuiltYetForDocker) {
  EXPECT_EQ(Blamed(PlanOf(With("docker", {{"SANDBOX_DOCKER_MODULE_IMAGE", "m:1"}}))),
            Names{"SANDBOX_DOCKER_MODULE_IMAGE"});
  EXPECT_EQ(Blamed(PlanOf(With("docker", {{"SANDBOX_MAX_SESSIONS", "1"}, {"SANDBOX_SESSION_POOL", "1"}}))),
            Names{"SANDBOX_SESSION_POOL"});
}

TEST(Plan, D15_RefusesAGuardAddressWithoutAGuardAndAPortAlone) {
  EXPECT_EQ(Blamed(PlanOf(With("wasm", {{"PLIMSOLL_GUARD_ADDR", ":8443"}}))), Names{"PLIMSOLL_GUARD_ADDR"});
  EXPECT_EQ(Blamed(PlanOf(With("wasm", {{"PLIMSOLL_GUARD_ADDR", "8443"}}))), Names{"PLIMSOLL_GUARD_ADDR"});
  EXPECT_EQ(Blamed(PlanOf({{"PLIMSOLL_METRICS_ADDR", "9464"}})), Names{"PLIMSOLL_METRICS_ADDR"});
  EXPECT_FALSE(PlanOf({{"PLIMSOLL_METRICS_ADDR", "OFF"}}).posture.metrics.has_value());
}

TEST(Plan, D16_FitsTheRunsAtOnceIntoTheMemoryBudget) {
  const Plan plan = PlanOf(With("wasm", {{"SANDBOX_TOTAL_MEMORY_MB", "1024"}, {"SANDBOX_MEMORY_MB", "256"}}));
  EXPECT_EQ(Blamed(plan), Names{});
  EXPECT_EQ(plan.quotas.max_concurrent, 4);
  EXPECT_EQ(plan.quotas.per_caller_concurrent, 2);
  const auto clamps = std::ranges::count(plan.notices, "SANDBOX_MAX_CONCURRENT", &Notice::setting);
  EXPECT_EQ(clamps, 1);
}

TEST(Plan, D17_RefusesABudgetWithoutRoomOrShare) {
  EXPECT_EQ(Blamed(PlanOf(With("wasm", {{"SANDBOX_TOTAL_MEMORY_MB", "200"}, {"SANDBOX_MEMORY_MB", "256"}}))),
            Names{"SANDBOX_TOTAL_MEMORY_MB"});
  EXPECT_EQ(Blamed(PlanOf(With("wasm", {{"SANDBOX_TOTAL_MEMORY_MB", "200"}}))), Names{"SANDBOX_TOTAL_MEMORY_MB"});
  const Plan remote = PlanOf(With("e2b", {{"SANDBOX_TOTAL_MEMORY_MB", "1"}}));
  EXPECT_EQ(Blamed(remote), Names{});
  EXPECT_EQ(remote.quotas.max_concurrent, 8);
}

TEST(Plan, D18_S3_ChargesTheSessionPoolFirst) {
  const auto with_pool = [](const char* provider, const char* pool, const char* sessions) {
    return PlanOf(With(provider, {{"SANDBOX_SESSION_POOL", pool},
                                  {"SANDBOX_MAX_SESSIONS", sessions},
                                  {"SANDBOX_TOTAL_MEMORY_MB", "1024"},
                                  {"SANDBOX_MEMORY_MB", "256"}}));
  };
  EXPECT_EQ(with_pool("docker", "3", "4").quotas.max_concurrent, 1);
  EXPECT_EQ(Blamed(with_pool("docker", "4", "4")), (Names{"SANDBOX_TOTAL_MEMORY_MB", "SANDBOX_SESSION_POOL"}));
  EXPECT_EQ(Blamed(with_pool("docker", "2", "1")), Names{"SANDBOX_SESSION_POOL"});
  EXPECT_EQ(Blamed(with_pool("docker", "1", "0")), Names{"SANDBOX_SESSION_POOL"});
  EXPECT_EQ(Blamed(with_pool("openshell", "1", "1")), Names{"SANDBOX_SESSION_POOL"});
}

TEST(Plan, D18_TheRunPoolNeverLowersTheRunsAtOnce) {
  const auto with_pool = [](Environment more) {
    more.insert(more.end(), {{"SANDBOX_TOTAL_MEMORY_MB", "1024"}, {"SANDBOX_MEMORY_MB", "256"}});
    return PlanOf(With("docker", std::move(more)));
  };
  const Plan four = with_pool({{"SANDBOX_RUN_POOL", "4"}});
  EXPECT_EQ(Blamed(four), Names{});
  EXPECT_EQ(four.quotas.max_concurrent, 4);
  EXPECT_EQ(four.provider_settings.docker.run_pool, 4);
  EXPECT_EQ(four.provider_settings.docker.max_concurrent, 4);
  EXPECT_EQ(with_pool({{"SANDBOX_RUN_POOL", "64"}}).quotas.max_concurrent, 4);
  EXPECT_EQ(Blamed(with_pool({{"SANDBOX_RUN_POOL", "65"}})), Names{"SANDBOX_RUN_POOL"});
}

TEST(Plan, D18_KnowsARunPoolForDockerAlone) {
  EXPECT_EQ(Blamed(PlanOf(With("wasm", {{"SANDBOX_RUN_POOL", "1"}}))), Names{"SANDBOX_RUN_POOL"});
  EXPECT_EQ(Blamed(PlanOf(With("wasm", {{"SANDBOX_RUN_POOL", "0"}}))), Names{});
  const auto pool = [](Environment more) {
    return PlanOf(With("docker", std::move(more))).provider_settings.docker.run_pool;
  };
  EXPECT_EQ(pool({}), 4);
  EXPECT_EQ(pool({{"SANDBOX_MAX_CONCURRENT", "2"}}), 2);
  EXPECT_EQ(pool({{"SANDBOX_RUN_POOL", "0"}}), 0);
  EXPECT_EQ(PlanOf(With("docker", {{"SANDBOX_MAX_CONCURRENT", "3"}})).effective.at(Id::kRunPool), "3");
}

TEST(Plan, D19_S2_ChecksSessionSettingsWhileSessionsAreOff) {
  const Environment::value_type bad[] = {
      {"SANDBOX_SESSION_LIFETIME", "500ms"},    {"SANDBOX_SESSION_LIFETIME", "13h"},
      {"SANDBOX_SESSION_LIFETIME", "0"},        {"SANDBOX_SESSION_IDLE", "500ms"},
      {"SANDBOX_SESSION_LIFETIME", "30"},       {"SANDBOX_SESSION_IDLE", "-1s"},
      {"SANDBOX_MAX_SESSIONS", "-1"},           {"SANDBOX_MAX_SESSIONS_PER_CALLER", "two"},
      {"SANDBOX_MAX_SESSIONS_PER_OWNER", "-1"}, {"SANDBOX_SESSION_DISK_MB", "-5"},
      {"SANDBOX_SESSION_DISK_MB", "1048577"}};
  for (const auto& setting : bad) {
    EXPECT_EQ(Blamed(PlanOf({setting})), Names{setting.first}) << setting.second;
  }
  EXPECT_EQ(Blamed(PlanOf({{"SANDBOX_SESSION_IDLE", "0"}})), Names{});
  EXPECT_EQ(Blamed(PlanOf(With("e2b", {{"SANDBOX_SESSION_IDLE", "0"}, {"SANDBOX_MAX_SESSIONS", "1"}}))),
            Names{"SANDBOX_SESSION_IDLE"});
  EXPECT_EQ(Blamed(PlanOf(With("docker", {{"SANDBOX_PAID_SECONDS_PER_DAY", "1"}}))),
            Names{"SANDBOX_PAID_SECONDS_PER_DAY"});
  EXPECT_EQ(Blamed(PlanOf(With("wasm", {{"SANDBOX_MAX_SESSIONS", "1"}}))), Names{"SANDBOX_MAX_SESSIONS"});
}

TEST(Plan, SessionsAreForDockerAndTakeTheirSettings) {
  const Plan plan = PlanOf(With("docker", {{"SANDBOX_MAX_SESSIONS", "4"},
                                           {"SANDBOX_MAX_SESSIONS_PER_CALLER", "3"},
                                           {"SANDBOX_MAX_SESSIONS_PER_OWNER", "2"},
                                           {"SANDBOX_SESSION_LIFETIME", "1h"},
                                           {"SANDBOX_SESSION_IDLE", "0"},
                                           {"SANDBOX_SESSION_DISK_MB", "64"}}));
  EXPECT_EQ(Blamed(plan), Names{});
  EXPECT_EQ(plan.sessions.caps.max, 4);
  EXPECT_EQ(plan.sessions.caps.per_caller, 3);
  EXPECT_EQ(plan.sessions.caps.per_owner, 2);
  EXPECT_EQ(plan.sessions.lifetime, std::chrono::hours(1));
  EXPECT_EQ(plan.sessions.idle.count(), 0);
  EXPECT_EQ(plan.provider_settings.docker.sessions, docker::Settings::Sessions::kOn);
  EXPECT_EQ(plan.provider_settings.docker.session_disk_mb, 64U);

  const Plan off = PlanOf(With("docker", {}));
  EXPECT_EQ(off.provider_settings.docker.sessions, docker::Settings::Sessions::kOff);
  EXPECT_EQ(off.sessions.lifetime, std::chrono::minutes(30));
  EXPECT_EQ(off.sessions.idle, std::chrono::minutes(5));
  const auto warnings = [](const char* sessions) {
    const Plan made = PlanOf(With("docker", {{"SANDBOX_MAX_SESSIONS", sessions}, {"SANDBOX_MAX_CONCURRENT", "4"}}));
    return std::ranges::count(made.notices, "SANDBOX_MAX_SESSIONS", &Notice::setting);
  };
  EXPECT_EQ(warnings("3"), 0);
  EXPECT_EQ(warnings("4"), 1);
}

TEST(Plan, RefusesMoreSlotsForOneCallerThanThereAre) {
  EXPECT_EQ(Blamed(PlanOf({{"SANDBOX_PER_KEY_CONCURRENT", "9"}})), Names{"SANDBOX_PER_KEY_CONCURRENT"});
  EXPECT_EQ(PlanOf({{"SANDBOX_PER_KEY_CONCURRENT", "0"}}).quotas.per_caller_concurrent, 0);
  EXPECT_EQ(PlanOf({{"SANDBOX_RATE_PER_MIN", "7"}}).quotas.rate_burst, 7);
  EXPECT_EQ(PlanOf({{"SANDBOX_RATE_BURST", "3"}}).quotas.rate_burst, 3);
}

TEST(Plan, RefusesGrantsThatNoProviderCarries) {
  EXPECT_EQ(Blamed(PlanOf(With("wasm", {{"PLIMSOLL_GRANTS_FILE", "/nowhere"}}))), Names{"PLIMSOLL_GRANTS_FILE"});
}

// Counts how often a provider would have been built.
struct CountingBuilder {
  int built = 0;
  BuildProvider Function() {
    return [this](const ProviderSettings&) -> base::Result<std::unique_ptr<provider::Provider>> {
      ++built;
      return std::unique_ptr<provider::Provider>();
    };
  }
};

TEST(Plan, D43_HardenedDockerWithNothingElseSetIsOneStartErrorAndBuildsNothing) {
  CountingBuilder builder;
  const Environment environment = {{"SANDBOX_PROVIDER", "docker"}, {"PLIMSOLL_HARDENED", "1"}};
  const Plan plan = MakePlan({environment, {"docker"}, builder.Function()});
  ASSERT_EQ(Blamed(plan), Names{"PLIMSOLL_HARDENED"});
  for (const char* violated :
       {"H2 PLIMSOLL_CLIENTS_FILE", "H7 SANDBOX_REQUIRE_PINNED_IMAGES", "H11 SANDBOX_MEMORY_MB", "H11 SANDBOX_CPUS",
        "H11 SANDBOX_DISK_MB", "H11 SANDBOX_PIDS", "H11 SANDBOX_TOTAL_MEMORY_MB"}) {
    EXPECT_NE(plan.errors[0].message.find(violated), std::string::npos) << plan.errors[0].message;
  }
  EXPECT_EQ(plan.errors[0].message.find("H1 "), std::string::npos);
  EXPECT_EQ(builder.built, 0);
}

TEST(Plan, D14_ABadClientsFileOrTlsPairBuildsNoProvider) {
  CountingBuilder builder;
  for (const Environment& broken : {Environment{{"PLIMSOLL_CLIENTS_FILE", "/nowhere/x"}},
                                    Environment{{"PLIMSOLL_INSECURE", "1"}, {"PLIMSOLL_TLS_CERT", "/nowhere/c"}}}) {
    Environment environment = broken;
    environment.emplace_back("SANDBOX_PROVIDER", "docker");
    EXPECT_FALSE(MakePlan({environment, {"docker"}, builder.Function()}).errors.empty());
  }
  EXPECT_EQ(builder.built, 0);
}

// What is left to the proof when everything else is in order: D44 and D45 end there.
TEST(Plan, D44_D45_LeavesHardenedDockerToItsProofAlone) {
  const TempFile clients(kClients, kOwner);
  CountingBuilder builder;
  const Environment environment = {{"SANDBOX_PROVIDER", "docker"},
                                   {"PLIMSOLL_HARDENED", "1"},
                                   {"PLIMSOLL_CLIENTS_FILE", clients.path()},
                                   {"SANDBOX_REQUIRE_PINNED_IMAGES", "1"},
                                   {"SANDBOX_MEMORY_MB", "256"},
                                   {"SANDBOX_CPUS", "1"},
                                   {"SANDBOX_PIDS", "256"},
                                   {"SANDBOX_DISK_MB", "160"},
                                   {"SANDBOX_TOTAL_MEMORY_MB", "2048"}};
  Plan plan = MakePlan({environment, {"docker"}, builder.Function()});
  EXPECT_EQ(Blamed(plan), Names{}) << plan.errors.front().message;
  EXPECT_EQ(builder.built, 1);
  EXPECT_EQ(plan.operator_floor, isolation::Floor::At(isolation::Tier::kKernel));
  plan.posture.proved = isolation::Tier::kContainer;
  const std::string runc = Violations(HardenedRules(plan.posture));
  EXPECT_EQ(runc, "H1 SANDBOX_DOCKER_RUNTIME: docker, isolation container (wanted: proved isolation kernel or vm)");
  plan.posture.proved = isolation::Tier::kKernel;
  EXPECT_EQ(Violations(HardenedRules(plan.posture)), "");
}

TEST(Plan, FindsEveryErrorInOnePass) {
  EXPECT_EQ(Blamed(PlanOf({{"SANDBOX_CPUS", "x"}, {"SANDBOX_RATE_PER_MIN", "x"}, {"PLIMSOLL_ADDR", "x"}})),
            (Names{"SANDBOX_CPUS", "SANDBOX_RATE_PER_MIN", "PLIMSOLL_ADDR"}));
}

TEST(Plan, EveryBadValueIsAnErrorWhateverElseIsSet) {
  const TempFile clients(kClients, kOwner);
  const std::vector<Environment> surroundings = {
      {},
      {{"SANDBOX_PROVIDER", "wasm"}, {"PLIMSOLL_TOKEN", std::string(32, 'x')}},
      {{"SANDBOX_PROVIDER", "docker"}, {"PLIMSOLL_CLIENTS_FILE", clients.path()}},
      {{"SANDBOX_PROVIDER", "docker"}, {"PLIMSOLL_HARDENED", "1"}}};
  for (const Setting& setting : Settings()) {
    if (setting.type == Type::kString || setting.type == Type::kPath || setting.id == Id::kLogFormat) {
      continue;  // their values are judged one by one; a wrong log format is a warning
    }
    for (Environment environment : surroundings) {
      std::erase_if(environment, [&](const auto& pair) { return pair.first == setting.name; });
      environment.emplace_back(setting.name, "no/such:value");
      EXPECT_THAT(Blamed(PlanOf(environment)), testing::Contains(std::string(setting.name)));
    }
  }
}

}  // namespace
}  // namespace plimsoll::daemon
