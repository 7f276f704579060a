#include "daemon/hardened.h"

#include <gtest/gtest.h>

#include <functional>

namespace plimsoll::daemon {
namespace {

// A posture that breaks no rule: docker with everything a production daemon sets.
Posture Sound() {
  return {.facts = FactsOf("docker"),
          .proved = isolation::Tier::kKernel,
          .auth = Auth::kClientsFile,
          .tls = true,
          .key_file = KeyFile::kOwnerOnly,
          .rpc = {"", 8746},
          .metrics = Address{"127.0.0.1", 9464},
          .images_pinned = true,
          .positive = {Id::kMemoryMb, Id::kCpus, Id::kDiskMb, Id::kPids, Id::kTotalMemoryMb},
          .max_concurrent = 8,
          .per_caller_concurrent = 4,
          .rate_per_minute = 30,
          .rate_burst = 30,
          .max_sessions = 2,
          .max_sessions_per_caller = 1};
}

std::vector<std::string_view> ViolatedIn(const Posture& posture) {
  std::vector<std::string_view> ids;
  for (const RuleReport& rule : HardenedRules(posture)) {
    if (rule.state == RuleState::kViolated) {
      ids.push_back(rule.id);
    }
  }
  return ids;
}

TEST(HardenedRules, D46_S4_EachBrokenRuleAloneIsReported) {
  EXPECT_TRUE(ViolatedIn(Sound()).empty()) << Violations(HardenedRules(Sound()));
  const struct {
    std::string_view id;
    std::function<void(Posture&)> break_it;
  } cases[] = {
      {"H1", [](Posture& p) { p.proved = isolation::Tier::kContainer; }},
      {"H2", [](Posture& p) { p.auth = Auth::kSharedToken; }},
      {"H2", [](Posture& p) { p.auth = Auth::kOpen; }},
      {"H3", [](Posture& p) { p.insecure_set = true; }},
      {"H4", [](Posture& p) { p.tls = false; }},
      {"H7", [](Posture& p) { p.images_pinned = false; }},
      {"H8", [](Posture& p) { p.seccomp_off = true; }},
      {"H11", [](Posture& p) { std::erase(p.positive, Id::kMemoryMb); }},
      {"H11", [](Posture& p) { std::erase(p.positive, Id::kCpus); }},
      {"H11", [](Posture& p) { std::erase(p.positive, Id::kDiskMb); }},
      {"H11", [](Posture& p) { std::erase(p.positive, Id::kPids); }},
      {"H11", [](Posture& p) { std::erase(p.positive, Id::kTotalMemoryMb); }},
      {"H12", [](Posture& p) { p.rate_per_minute = 0; }},
      {"H12", [](Posture& p) { p.rate_burst = 31; }},
      {"H13", [](Posture& p) { p.per_caller_concurrent = 0; }},
      {"H13", [](Posture& p) { p.per_caller_concurrent = 8; }},
      {"H14", [](Posture& p) { p.max_sessions_per_caller = 0; }},
      {"H17", [](Posture& p) { p.key_file = KeyFile::kReadableByOthers; }},
  };
  for (const auto& broken : cases) {
    Posture posture = Sound();
    broken.break_it(posture);
    EXPECT_EQ(ViolatedIn(posture), std::vector{broken.id});
  }
}

TEST(HardenedRules, D46_MetricsOffLoopbackWantTls) {
  Posture posture = Sound();
  posture.rpc = {"::1", 1};
  posture.tls = false;
  posture.metrics = Address{"0.0.0.0", 9464};
  EXPECT_EQ(ViolatedIn(posture), std::vector<std::string_view>{"H5"});
  posture.metrics.reset();
  EXPECT_TRUE(ViolatedIn(posture).empty());
}

TEST(HardenedRules, D43_ReportsEveryViolationButIsolationBeforeTheProof) {
  Posture bare{.facts = FactsOf("docker"), .rpc = {"", 8746}, .max_concurrent = 8, .per_caller_concurrent = 8};
  const auto ids = ViolatedIn(bare);
  EXPECT_EQ(ids, (std::vector<std::string_view>{"H2", "H4", "H7", "H11", "H11", "H11", "H11", "H11", "H12", "H13"}));
  EXPECT_EQ(HardenedRules(bare)[0].state, RuleState::kNotProved);
}

TEST(HardenedRules, WantPinnedImagesOfEveryProviderThatHasImages) {
  for (const char* provider : {"docker", "openshell", "agentsandbox"}) {
    Posture posture = Sound();
    posture.facts = FactsOf(provider);
    posture.images_pinned = false;
    EXPECT_EQ(ViolatedIn(posture), std::vector<std::string_view>{"H7"}) << provider;
  }
}

TEST(HardenedRules, NameTheSettingAndReadAsASentence) {
  Posture posture = Sound();
  posture.rate_burst = 31;
  posture.key_file = KeyFile::kReadableByOthers;
  EXPECT_EQ(Violations(HardenedRules(posture)),
            "H12 SANDBOX_RATE_BURST: 30 starts a minute, burst 31 (wanted: a limit of starts a minute, and a burst of "
            "at most that); H17 PLIMSOLL_TLS_KEY: group or others can read it (wanted: no key that others can read)");
}

TEST(HardenedRules, NeverHoldForWasm) {
  Posture posture = Sound();
  posture.facts = FactsOf("wasm");
  posture.proved = isolation::Tier::kProcess;
  EXPECT_EQ(ViolatedIn(posture), std::vector<std::string_view>{"H1"});
}

}  // namespace
}  // namespace plimsoll::daemon
