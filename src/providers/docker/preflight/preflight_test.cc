#include "providers/docker/preflight.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/sha256.h"
#include "providers/docker/preflight/kept_evidence.h"
#include "providers/docker/testing/memory_engine.h"
#include "testkit/capture_log.h"
#include "testkit/fake_clock.h"

namespace plimsoll::docker {
namespace {

using isolation::Tier;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A preflight over a scripted engine and a host without accounts.
struct World {
  World() {
    settings.snippet_image = "snippet";
    settings.project_image = "project";
    settings.agent_program = "/opt/plimsoll-guest";
  }

  Preflight& Start() {
    Outside outside{
        .read = [this](const std::string& path, std::size_t) -> base::Result<std::optional<std::string>> {
          const bool is_mounted = path == "/opt/plimsoll-resolv.conf";
          return is_mounted ? *resolver.Lock() : path == settings.seccomp ? *filter.Lock() : std::nullopt;
        },
        .look = [this](const std::string&) -> base::Result<std::optional<os::FileStanding>> {
          return std::optional(os::FileStanding{
              .owner = 0, .permissions = 0755, .file_system_runs_programs = true, .version = *agent.Lock()});
        },
        .digest = [this](const std::string& path) -> base::Result<std::string> {
          ++digests;
          return base::Sha256Hex(path == settings.agent_program ? *agent.Lock() : "runsc");
        },
        .own_uid = 0,
        .resolve = [this](const Settings&) -> base::Result<std::string> {
          ++resolved;
          return *address.Lock();
        },
        .open = [this](const std::string& path) -> base::Result<std::unique_ptr<Engine>> {
          opened = path;
          return std::unique_ptr<Engine>(std::make_unique<MemoryEngine>(engine));
        },
    };
    preflight = CreatePreflight(settings, std::move(outside), clock, log);
    return *preflight;
  }

  base::Result<std::shared_ptr<const State>> Check(milliseconds within = seconds(10)) {
    return preflight->Check(clock.Steady() + within);
  }
  // The next check asks the engine again.
  void Age() { clock.Advance(seconds(5)); }
  base::Rule RuleOfCheck() {
    const auto checked = Check();
    const auto* refusal = base::RefusalIn(checked);
    return refusal == nullptr ? base::Rule::kInvalidRequest : refusal->rule;
  }
  std::string Told() {
    const auto checked = Check();
    return checked ? "accepted" : std::string(base::TextOf(checked.error()));
  }

  Settings settings;
  std::shared_ptr<MemoryEngine::Script> engine = std::make_shared<MemoryEngine::Script>(GoodEngine());
  base::Guarded<std::string> agent{std::string("agent")};
  base::Guarded<std::optional<std::string>> resolver{std::string(kResolverText)};
  base::Guarded<std::optional<std::string>> filter;
  base::Guarded<std::string> address{std::string("/run/docker.sock")};
  std::atomic<int> resolved = 0;
  std::atomic<int> digests = 0;
  std::string opened;
  testkit::FakeClock clock;
  testkit::CaptureLog log;
  std::unique_ptr<Preflight> preflight;  // last: its thread uses what is above
};

bool Says(const std::string& told, std::string_view part) { return told.find(part) != std::string::npos; }

TEST(Preflight, EstablishesTheStateOfWhatItFound) {
  World world;
  world.settings.disk_mb = 100;
  EXPECT_EQ(world.Start().Tier(), std::nullopt) << "nothing is stated before a success";
  EXPECT_EQ(world.preflight->Last(), nullptr);
  const auto state = world.Check();
  ASSERT_TRUE(state.has_value()) << base::TextOf(state.error());
  EXPECT_EQ(world.opened, "/run/docker.sock");
  EXPECT_EQ((*state)->tier, Tier::kContainer);
  EXPECT_EQ((*state)->runtime, "");
  EXPECT_EQ((*state)->runtime_version, "runc 1.1.5");
  EXPECT_EQ((*state)->platform, "");
  EXPECT_EQ((*state)->work_mb, 68U);
  EXPECT_EQ((*state)->agent_sha256.size(), 64U);
  ASSERT_EQ((*state)->images.size(), 2U);
  const VerifiedImage& image = (*state)->images.at(Role::kSnippet);
  EXPECT_EQ(image.reference, "snippet");
  EXPECT_EQ(image.identity, "docker-image:" + image.id);
  EXPECT_EQ(image.software_identity, "");
  EXPECT_EQ(image.environment, (std::vector<std::string>{"PATH=/usr/local/bin:/bin", "LANG=C"}));
  EXPECT_EQ(world.preflight->Tier(), Tier::kContainer);
  EXPECT_EQ(world.preflight->Last(), *state);
}

TEST(Preflight, P26_IsOfTierKernelUnderRunsc) {
  World world;
  world.settings.runtime = "runsc";
  world.Start();
  const auto state = world.Check();
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(world.preflight->Tier(), Tier::kKernel);
  EXPECT_EQ((*state)->runtime_version, "runsc sha256:" + base::Sha256Hex("runsc"));
  world.Age();
  ASSERT_TRUE(world.Check().has_value());
  EXPECT_EQ(world.digests, 2) << "the agent and the runtime, once each";
}

TEST(Preflight, RefusesAResolverFileThatIsNotAsItWasInstalled) {
  World world;
  world.Start();
  for (const auto& text : {std::optional<std::string>(), std::optional<std::string>("nameserver 192.0.2.1\n")}) {
    *world.resolver.Lock() = text;
    EXPECT_TRUE(Says(world.Told(), "plimsoll-resolv.conf: is not beside plimsoll-guest"));
  }
  *world.resolver.Lock() = kResolverText;
  EXPECT_EQ(world.Told(), "accepted");
}

TEST(Preflight, FailsAtTheFirstStepThatFails) {
  World world;
  world.settings.runtime = "nope";
  world.settings.require_pinned_images = true;
  world.settings.guest_uid = 0;
  world.Start();
  EXPECT_TRUE(Says(world.Told(), "SANDBOX_GUEST_UID"));
  world.settings.guest_uid = 61000;
  EXPECT_TRUE(Says(world.Told(), "SANDBOX_DOCKER_IMAGE: is not pinned"));
  world.settings.require_pinned_images = false;
  EXPECT_TRUE(Says(world.Told(), "SANDBOX_DOCKER_RUNTIME: the engine has no runtime nope"));
  world.settings.runtime = "";
  EXPECT_EQ(world.Told(), "accepted");
  EXPECT_EQ(world.preflight->Tier(), Tier::kContainer);
}

TEST(Preflight, P29_ChecksEveryConfiguredImageForItsPin) {
  World world;
  const std::string pinned = "a@sha256:" + std::string(64, 'a');
  world.settings.require_pinned_images = true;
  world.settings.snippet_image = pinned;
  world.Start();
  EXPECT_TRUE(Says(world.Told(), "SANDBOX_DOCKER_PROJECT_IMAGE: is not pinned"));
  world.settings.project_image = pinned;
  world.settings.module_image = "module:latest";
  EXPECT_TRUE(Says(world.Told(), "SANDBOX_DOCKER_MODULE_IMAGE: is not pinned"));
}

TEST(Preflight, P28_NamesAnImageThatIsNotThere) {
  World world;
  world.settings.project_image = "absent:1";
  world.Start();
  EXPECT_TRUE(Says(world.Told(), "image absent:1: is not on the engine"));
  EXPECT_EQ(world.RuleOfCheck(), base::Rule::kNotProven);
}

TEST(Preflight, XE11_RefusesAnEngineWithoutAController) {
  World world;
  world.engine->Lock()->info.pids_limit = false;
  world.Start();
  EXPECT_TRUE(Says(world.Told(), "lacks the controllers pids"));
}

TEST(Preflight, P24_PRE3_ResolvesTheAddressOnceAndKeepsIt) {
  World world;
  world.engine->Lock()->error = EngineError{.kind = EngineError::Kind::kUnreachable, .sent = http::Sent::kNothing};
  world.Start();
  EXPECT_EQ(world.RuleOfCheck(), base::Rule::kUnavailable);
  *world.address.Lock() = "/run/other.sock";
  world.engine->Lock()->error.reset();
  ASSERT_TRUE(world.Check().has_value());
  world.Age();
  ASSERT_TRUE(world.Check().has_value());
  EXPECT_EQ(world.resolved, 1);
  EXPECT_EQ(world.opened, "/run/docker.sock");
}

TEST(Preflight, KeepsASuccessForFiveSecondsAndNoFailureAtAll) {
  World world;
  world.Start();
  ASSERT_TRUE(world.Check().has_value());
  world.clock.Advance(milliseconds(4999));
  world.engine->Lock()->error = EngineError{.kind = EngineError::Kind::kDeadline, .sent = http::Sent::kMaybe};
  ASSERT_TRUE(world.Check().has_value());
  world.clock.Advance(milliseconds(1));
  EXPECT_EQ(world.RuleOfCheck(), base::Rule::kUnavailable);
  const int walks = world.engine->Lock()->negotiations;
  EXPECT_EQ(world.RuleOfCheck(), base::Rule::kUnavailable);
  EXPECT_EQ(world.engine->Lock()->negotiations, walks + 1);
}

TEST(Preflight, PRE7_RenewsASuccessForWhoAsksBeforeItsEndAndKeepsNobodyWaiting) {
  World world;
  world.Start();
  ASSERT_TRUE(world.Check().has_value());
  world.clock.Advance(milliseconds(1999));
  ASSERT_TRUE(world.Check().has_value());
  world.clock.Advance(milliseconds(1));
  EXPECT_EQ(world.engine->Lock()->negotiations, 1);
  ASSERT_TRUE(world.Check().has_value());
  const auto until = std::chrono::steady_clock::now() + seconds(10);
  while (world.engine->Lock()->negotiations < 2 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(world.engine->Lock()->negotiations, 2) << "nobody waited for it";
}

TEST(Preflight, P66_PRE2_OneProbesForAHundredCallersAndNoneOfThemFails) {
  World world;
  world.Start();
  ASSERT_TRUE(world.Check().has_value());
  world.Age();
  world.engine->Lock()->negotiations = 0;
  world.engine->Lock()->delay = milliseconds(150);
  std::atomic<int> passed = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 100; ++i) {
      callers.emplace_back([&] { passed += world.Check().has_value() ? 1 : 0; });
    }
  }
  EXPECT_EQ(passed, 100);
  EXPECT_EQ(world.engine->Lock()->negotiations, 1);
}

TEST(Preflight, P67_PRE2_ACallerThatHangsUpChangesNothing) {
  World world;
  world.settings.runtime = "runsc";
  world.Start();
  ASSERT_TRUE(world.Check().has_value());
  world.Age();
  world.engine->Lock()->delay = milliseconds(200);
  const auto left = world.Check(milliseconds(20));
  ASSERT_NE(base::RefusalIn(left), nullptr);
  EXPECT_EQ(base::RefusalIn(left)->rule, base::Rule::kAtCapacity);
  EXPECT_EQ(world.preflight->Tier(), Tier::kKernel);
  EXPECT_TRUE(world.Check().has_value()) << "the probe it began has gone on";
  EXPECT_EQ(world.preflight->Tier(), Tier::kKernel);
  EXPECT_EQ(world.engine->Lock()->negotiations, 2);
}

TEST(Preflight, OthersWaitTwoSecondsForTheOneThatProbes) {
  World world;
  world.Start();
  world.engine->Lock()->delay = milliseconds(2600);
  std::jthread first([&] { EXPECT_TRUE(world.Check().has_value()); });
  while (world.engine->Lock()->negotiations == 0) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  const auto second = world.Check();
  ASSERT_NE(base::RefusalIn(second), nullptr);
  EXPECT_EQ(base::RefusalIn(second)->rule, base::Rule::kUnavailable);
  EXPECT_TRUE(Says(base::RefusalIn(second)->message, "in progress"));
}

TEST(Preflight, PRE5_AFailedRefreshDropsTheTierToContainerUntilTheNextSuccess) {
  World world;
  world.settings.runtime = "runsc";
  world.Start();
  const auto before = world.Check();
  ASSERT_TRUE(before.has_value());
  world.Age();
  world.engine->Lock()->error = EngineError{.kind = EngineError::Kind::kUnreachable, .sent = http::Sent::kNothing};
  EXPECT_EQ(world.RuleOfCheck(), base::Rule::kUnavailable);
  EXPECT_EQ(world.preflight->Tier(), Tier::kContainer);
  EXPECT_EQ(world.preflight->Last(), *before) << "a run keeps the state it started with";
  EXPECT_EQ((*before)->tier, Tier::kKernel);
  world.engine->Lock()->error.reset();
  ASSERT_TRUE(world.Check().has_value());
  EXPECT_EQ(world.preflight->Tier(), Tier::kKernel);
}

TEST(Preflight, P30_PRE4_PRE5_ATagMovedAfterTheProofRefusesAndKeepsTheTier) {
  World world;
  world.settings.runtime = "runsc";
  world.Start();
  State proven = **world.Check();
  proven.images.at(Role::kProject).languages = {"javascript", "python"};
  world.preflight->Prove(proven);
  const auto held = world.Check();
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ((*held)->images.at(Role::kProject).languages, (std::vector<std::string>{"javascript", "python"}));
  world.Age();
  world.engine->Lock()->images["project"].id = "sha256:" + std::string(64, 'f');
  EXPECT_EQ(world.RuleOfCheck(), base::Rule::kNotProven);
  EXPECT_TRUE(Says(world.Told(), "image project: names another content than the one proven at start"));
  EXPECT_EQ(world.preflight->Tier(), Tier::kKernel);
  EXPECT_EQ(world.resolved, 1);
}

TEST(Preflight, PRE4_XJ8_HoldsTheRuntimeAndTheAgentToTheProofToo) {
  World world;
  world.Start();
  world.preflight->Prove(**world.Check());
  world.engine->Lock()->version.components["runc"] = "1.2.0";
  EXPECT_TRUE(Says(world.Told(), "runtime: is runc 1.2.0, proven at start was runc 1.1.5"));
  world.engine->Lock()->version.components["runc"] = "1.1.5";
  EXPECT_EQ(world.Told(), "accepted");
  world.Age();
  *world.agent.Lock() = "another agent";
  EXPECT_TRUE(Says(world.Told(), "plimsoll-guest: is not the program proven at start"));
}

TEST(Preflight, PRE4_HoldsTheFilterToTheProofToo) {
  World world;
  world.settings.seccomp = "/etc/filter.json";
  *world.filter.Lock() = R"({"defaultAction":"SCMP_ACT_ERRNO"})";
  world.Start();
  world.preflight->Prove(**world.Check());
  *world.filter.Lock() = R"({"defaultAction":"SCMP_ACT_ALLOW"})";
  EXPECT_TRUE(Says(world.Told(), "SANDBOX_DOCKER_SECCOMP: its file holds another profile than the one proven"));
}

TEST(Preflight, PRE4_AProofIsNotPassedByAWalkThatBeganBeforeIt) {
  World world;
  world.Start();
  State proven = **world.Check();
  proven.images.at(Role::kSnippet).id = "sha256:" + std::string(64, '0');
  world.Age();
  world.engine->Lock()->delay = milliseconds(300);
  auto begun = std::async(std::launch::async, [&] { return world.RuleOfCheck(); });
  while (world.engine->Lock()->negotiations < 2) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  world.preflight->Prove(proven);
  EXPECT_EQ(begun.get(), base::Rule::kNotProven);
}

TEST(Preflight, PRE4_AProofIsNotPassedByWhatWasKeptBeforeIt) {
  World world;
  world.Start();
  State proven = **world.Check();
  proven.images.at(Role::kSnippet).id = "sha256:" + std::string(64, '0');
  world.preflight->Prove(proven);
  EXPECT_EQ(world.RuleOfCheck(), base::Rule::kNotProven);
}

TEST(Preflight, StatesThePlatformToAContainerdStoreOnly) {
  World world;
  world.settings.default_platform = "Linux/X86_64";
  world.Start();
  EXPECT_TRUE(Says(world.Told(), "DOCKER_DEFAULT_PLATFORM: the engine's classic image store"));
  {
    auto script = world.engine->Lock();
    script->info.containerd_store = true;
    for (auto& [name, image] : script->images) {
      image.descriptor_digest = image.id;
      image.descriptor_media_type = "application/vnd.oci.image.manifest.v1+json";
    }
  }
  const auto state = world.Check();
  ASSERT_TRUE(state.has_value()) << base::TextOf(state.error());
  EXPECT_EQ((*state)->platform, "linux/amd64");
  EXPECT_EQ(world.engine->Lock()->platforms, (std::vector<std::string>{"linux/amd64", "linux/amd64"}));
  const VerifiedImage& image = (*state)->images.at(Role::kSnippet);
  EXPECT_EQ(image.software_identity, "oci-manifest:linux/amd64@" + image.id);
  world.Age();
  world.settings.default_platform = "amd64";
  EXPECT_TRUE(Says(world.Told(), "amd64 is not os/arch"));
}

TEST(Preflight, PRE6_KeepsTheEnginesOwnWordsToTheLogAndRarely) {
  World world;
  world.engine->Lock()->error = EngineError{
      .kind = EngineError::Kind::kRefused, .sent = http::Sent::kMaybe, .status = 500, .detail = "words of the engine"};
  world.Start();
  EXPECT_TRUE(Says(world.Told(), "docker engine at /run/docker.sock: refused the question with status 500"));
  EXPECT_FALSE(Says(world.Told(), "words of the engine"));
  EXPECT_EQ(world.log.Records().size(), 1U);
  EXPECT_TRUE(world.log.Contains("words of the engine"));
  world.clock.Advance(seconds(30));
  world.Told();
  EXPECT_EQ(world.log.Records().size(), 2U);
}

TEST(Preflight, IsLetGoWhileItsProbeRuns) {
  World world;
  world.Start();
  world.engine->Lock()->delay = milliseconds(100);
  const auto left = world.Check(milliseconds(5));
  EXPECT_FALSE(left.has_value());
  world.preflight.reset();
}

}  // namespace
}  // namespace plimsoll::docker
