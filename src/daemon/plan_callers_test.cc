#include <gtest/gtest.h>

#include <string>

#include "daemon/plan_for_test.h"

namespace plimsoll::daemon {
namespace {

TEST(PlanCallers, D20_WantsAuthenticationForARealProvider) {
  EXPECT_EQ(Blamed(PlanOf({{"SANDBOX_PROVIDER", "wasm"}})), Names{"PLIMSOLL_CLIENTS_FILE"});
  EXPECT_EQ(Blamed(PlanOf({{"SANDBOX_PROVIDER", "wasm"}, {"PLIMSOLL_TOKEN", std::string(31, 'x')}})),
            Names{"PLIMSOLL_TOKEN"});
  EXPECT_EQ(Blamed(PlanOf({{"SANDBOX_PROVIDER", "wasm"}, {"PLIMSOLL_TOKEN", std::string(32, 'x')}})), Names{});
  const Plan insecure = PlanOf({{"SANDBOX_PROVIDER", "wasm"}, {"PLIMSOLL_INSECURE", "1"}});
  EXPECT_EQ(Blamed(insecure), Names{});
  EXPECT_EQ(insecure.notices.size(), 1U);
  EXPECT_EQ(Blamed(PlanOf({{"PLIMSOLL_INSECURE", "yes"}})), Names{"PLIMSOLL_INSECURE"});
}

TEST(PlanCallers, D21_D67_ReadsARegistryThatOnlyItsOwnerCanWrite) {
  const TempFile good(kClients, kOwner);
  const Plan plan = PlanOf({{"SANDBOX_PROVIDER", "wasm"}, {"PLIMSOLL_CLIENTS_FILE", good.path()}});
  EXPECT_EQ(Blamed(plan), Names{});
  EXPECT_FALSE(plan.gate.open());
  const TempFile writable(kClients, kOwner | std::filesystem::perms::group_write);
  const TempFile broken(R"({"Clients":[]})", kOwner);
  for (const std::string& path : {writable.path(), broken.path(), std::string("/nowhere/x"), testing::TempDir()}) {
    EXPECT_EQ(Blamed(PlanOf({{"PLIMSOLL_CLIENTS_FILE", path}})), Names{"PLIMSOLL_CLIENTS_FILE"}) << path;
  }
}

TEST(PlanCallers, D67_RefusesToListenOffLoopbackInOpenMode) {
  for (const char* provider : {"", "wasm"}) {
    const Environment open = {{"PLIMSOLL_ADDR", "0.0.0.0:8746"}, {"SANDBOX_PROVIDER", provider}};
    EXPECT_EQ(Blamed(PlanOf(open)), Names{"PLIMSOLL_ADDR"});
    Environment insecure = open;
    insecure.emplace_back("PLIMSOLL_INSECURE", "1");
    EXPECT_EQ(Blamed(PlanOf(insecure)), Names{});
    EXPECT_FALSE(PlanOf(insecure).notices.empty());
    insecure.emplace_back("PLIMSOLL_HARDENED", "1");
    EXPECT_EQ(Blamed(PlanOf(insecure)), Names{"PLIMSOLL_HARDENED"});
  }
}

TEST(PlanCallers, D13_RefusesHalfAnUnreadableOrAWritablePair) {
  EXPECT_EQ(Blamed(PlanOf({{"PLIMSOLL_TLS_CERT", "/nowhere/c"}})), Names{"PLIMSOLL_TLS_KEY"});
  EXPECT_EQ(Blamed(PlanOf({{"PLIMSOLL_TLS_KEY", "/nowhere/k"}})), Names{"PLIMSOLL_TLS_CERT"});
  EXPECT_EQ(Blamed(PlanOf({{"PLIMSOLL_TLS_CERT", "/nowhere/c"}, {"PLIMSOLL_TLS_KEY", "/nowhere/k"}})),
            Names{"PLIMSOLL_TLS_KEY"});
  const TempFile cert("", kOwner);
  const TempFile open_key("", kOwner | std::filesystem::perms::group_write);
  EXPECT_EQ(Blamed(PlanOf({{"PLIMSOLL_TLS_CERT", cert.path()}, {"PLIMSOLL_TLS_KEY", open_key.path()}})),
            Names{"PLIMSOLL_TLS_KEY"});
  const TempFile key("", kOwner);
  EXPECT_EQ(Blamed(PlanOf({{"PLIMSOLL_TLS_CERT", cert.path()}, {"PLIMSOLL_TLS_KEY", key.path()}})),
            Names{"PLIMSOLL_TLS_CERT"});
  EXPECT_EQ(Blamed(PlanOf({{"PLIMSOLL_ADDR", "127.0.0.1:65536"}})), Names{"PLIMSOLL_ADDR"});
}

TEST(PlanCallers, WarnsOfBearersInClearOffLoopback) {
  const Plan plan = PlanOf({{"PLIMSOLL_ADDR", ":8746"}, {"PLIMSOLL_TOKEN", std::string(32, 'x')}});
  EXPECT_EQ(Blamed(plan), Names{});
  EXPECT_EQ(plan.notices.at(0).message, "bearers cross a network in clear");
}

TEST(PlanCallers, NeverRepeatsTheToken) {
  const Plan plan = PlanOf({{"PLIMSOLL_TOKEN", "s3cret-and-short"}});
  ASSERT_EQ(plan.errors.size(), 1U);
  EXPECT_EQ(plan.errors[0].message.find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::daemon
