// The smoke test against a real engine: the one of PLIMSOLL_TEST_DOCKER_HOST, with the image of PLIMSOLL_TEST_IMAGE.
// Never skipped: without an engine, the image or a runtime the tests fail.
#include "providers/docker/smoke.h"
#include "providers/docker/testing/forwarding_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "os/system_clock.h"
#include "os/system_random.h"
#include "providers/docker/leases.h"
#include "providers/docker/preflight.h"
#include "testkit/capture_log.h"

namespace plimsoll::docker {
namespace {

using isolation::Probe;
using nlohmann::json;

std::string FromEnvironment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

Settings SettingsFor(std::string_view runtime) {
  Settings settings;
  settings.docker_host = FromEnvironment("PLIMSOLL_TEST_DOCKER_HOST", "");
  settings.snippet_image = FromEnvironment("PLIMSOLL_TEST_IMAGE", "plimsoll/sandbox:latest");
  settings.project_image = settings.snippet_image;
  settings.runtime = runtime;
  settings.agent_program = PLIMSOLL_BIN_DIR "/plimsoll-guest";
  settings.daemon_version = "test";
  return settings;
}

// An engine that forgets part of what it is asked for when it makes a container, as a runtime does that accepts a
// setting and does not apply it (P35).
class ForgetfulEngine final : public ForwardingEngine {
 public:
  using Forget = std::function<void(json& body)>;
  ForgetfulEngine(std::shared_ptr<Engine> engine, Forget forget)
      : ForwardingEngine(std::move(engine)), forget_(std::move(forget)) {}

  Answer<std::string> Create(std::string_view name, std::string_view platform, std::string body,
                             const http::Bounds& bounds) override {
    json altered = json::parse(body);
    forget_(altered);
    EXPECT_NE(altered, json::parse(body)) << "there was nothing to forget";
    return ForwardingEngine::Create(name, platform, altered.dump(), bounds);
  }

 private:
  const Forget forget_;
};

class Ground {
 public:
  explicit Ground(std::string_view runtime)
      : settings_(SettingsFor(runtime)), preflight_(Preflight::Create(settings_, clock_, log_)) {}

  // Null, with the test failed, when the preflight does not pass.
  std::shared_ptr<const State> Checked() {
    auto state = preflight_->Check(clock_.Steady() + std::chrono::seconds(10));
    EXPECT_TRUE(state.has_value()) << base::TextOf(state.error());
    return state ? *state : nullptr;
  }

  SmokeOutcome Smoke(std::shared_ptr<const State> state) {
    Leases leases;
    const auto launcher = Launcher::Create(settings_, clock_, random_, log_, leases);
    return RunSmokeTest(std::move(state), settings_, *launcher, clock_, random_, log_,
                        clock_.Steady() + std::chrono::minutes(2));
  }

  SmokeOutcome SmokeWithout(const ForgetfulEngine::Forget& forget) {
    const auto state = Checked();
    if (state == nullptr) {
      return {.status = base::Ok(), .report = nullptr, .proven = nullptr};
    }
    auto altered = std::make_shared<State>(*state);
    altered->engine = std::make_shared<ForgetfulEngine>(state->engine, forget);
    return Smoke(std::move(altered));
  }

  Settings& settings() { return settings_; }

 private:
  Settings settings_;
  os::SystemClock clock_;
  os::SystemRandom random_;
  testkit::CaptureLog log_;
  std::unique_ptr<Preflight> preflight_;
};

std::string Shown(const isolation::ProbeReport& report) {
  std::string text = "tier " + std::string(isolation::Name(report.tier)) + ", " + report.runtime_version + ", " +
                     std::to_string(report.ended_unix_ms - report.started_unix_ms) + " ms\n";
  for (const Probe& probe : report.probes) {
    text += "  " + std::string(Name(probe.outcome)) + " " + probe.id + ": " + probe.detail + "\n";
  }
  return text;
}

bool HasFailed(const SmokeOutcome& outcome, std::string_view id) {
  for (const Probe& probe : outcome.report->probes) {
    if (probe.id == id) {
      return probe.outcome == Probe::Outcome::kFail;
    }
  }
  return false;
}

class SmokeUnder : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Runtimes, SmokeUnder, testing::Values("runc", "runsc"),
                         [](const auto& runtime) { return std::string(runtime.param); });

TEST_P(SmokeUnder, P26_PassesAndStatesWhatItTried) {
  Ground ground(GetParam());
  const auto state = ground.Checked();
  ASSERT_NE(state, nullptr);
  const SmokeOutcome outcome = ground.Smoke(state);
  ASSERT_NE(outcome.report, nullptr);
  std::puts(Shown(*outcome.report).c_str());
  ASSERT_TRUE(outcome.status.has_value()) << base::TextOf(outcome.status.error());
  ASSERT_NE(outcome.proven, nullptr);
  EXPECT_EQ(outcome.proven->images.at(Role::kSnippet).languages, (std::vector<std::string>{"javascript"}));
  EXPECT_EQ(outcome.proven->images.at(Role::kProject).languages, (std::vector<std::string>{"javascript", "python"}));
  EXPECT_LT(outcome.report->ended_unix_ms - outcome.report->started_unix_ms, 60'000);
}

std::string RefusalOf(const Settings& settings) {
  const os::SystemClock clock;
  testkit::CaptureLog log;
  const auto preflight = Preflight::Create(settings, clock, log);
  const auto state = preflight->Check(clock.Steady() + std::chrono::seconds(10));
  return state ? "passed" : std::string(base::TextOf(state.error()));
}

TEST(PreflightLive, P25_RefusesARuntimeThatTheEngineDoesNotHave) {
  EXPECT_THAT(RefusalOf(SettingsFor("nope")), testing::HasSubstr("the engine has no runtime nope"));
  EXPECT_EQ(RefusalOf(SettingsFor("runsc")), "passed");
}

TEST(PreflightLive, P28_NamesAnImageThatTheEngineDoesNotHave) {
  Settings settings = SettingsFor("");
  settings.project_image = "plimsoll/absent:1";
  EXPECT_THAT(RefusalOf(settings), testing::HasSubstr("image plimsoll/absent:1: is not on the engine"));
}

TEST(PreflightLive, P24_RefusesARemoteEngine) {
  for (const char* host : {"tcp://127.0.0.1:2375", "ssh://somebody@somewhere"}) {
    Settings settings = SettingsFor("");
    settings.docker_host = host;
    EXPECT_THAT(RefusalOf(settings), testing::HasSubstr(std::string(host).substr(0, 3))) << host;
  }
}

// One setting that is accepted and not applied, and the probe that must say so.
struct Dropped {
  const char* name;
  const char* probe;
  ForgetfulEngine::Forget forget;
};

void ExpectRefused(std::string_view runtime, const Dropped& dropped) {
  Ground ground(runtime);
  const SmokeOutcome outcome = ground.SmokeWithout(dropped.forget);
  ASSERT_NE(outcome.report, nullptr);
  EXPECT_FALSE(outcome.status.has_value()) << dropped.name;
  EXPECT_EQ(outcome.proven, nullptr);
  EXPECT_TRUE(HasFailed(outcome, dropped.probe)) << dropped.name << "\n" << Shown(*outcome.report);
}

void ForgetTmpfsSize(json& body, const char* place) {
  for (auto& [target, options] : body["HostConfig"]["Tmpfs"].items()) {
    if (target == place) {
      options = "rw,noexec,nosuid";
    }
  }
}

TEST_P(SmokeUnder, P35_RefusesARuntimeThatDropsThePidsLimit) {
  ExpectRefused(GetParam(), {"pids", "snippet/pids-limit", [](json& body) { body["HostConfig"].erase("PidsLimit"); }});
}

TEST_P(SmokeUnder, P35_RefusesARuntimeThatDropsTheMemoryLimit) {
  ExpectRefused(GetParam(), {"memory", "snippet/memory-limit", [](json& body) {
                               body["HostConfig"].erase("Memory");
                               body["HostConfig"].erase("MemorySwap");
                             }});
}

TEST_P(SmokeUnder, P35_RefusesARuntimeThatDropsTheProcessorLimit) {
  ExpectRefused(GetParam(),
                {"cpu", std::string_view(GetParam()) == "runsc" ? "snippet/host-group" : "snippet/stated-limits",
                 [](json& body) { body["HostConfig"].erase("NanoCpus"); }});
}

TEST_P(SmokeUnder, P35_RefusesARuntimeThatDropsATmpfsSize) {
  ExpectRefused(GetParam(), {"tmp", "snippet/fill-tmp", [](json& body) { ForgetTmpfsSize(body, "/tmp"); }});
}

TEST_P(SmokeUnder, RefusesARuntimeThatDropsAnythingElse) {
  for (const Dropped& dropped : {
           Dropped{"read-only", "snippet/mounts", [](json& body) { body["HostConfig"]["ReadonlyRootfs"] = false; }},
           Dropped{"capabilities", "snippet/identity", [](json& body) { body["HostConfig"].erase("CapDrop"); }},
           Dropped{"user", "snippet/identity", [](json& body) { body["User"] = "0:0"; }},
           Dropped{"privileges", "snippet/identity", [](json& body) { body["HostConfig"].erase("SecurityOpt"); }},
       }) {
    ExpectRefused(GetParam(), dropped);
  }
}

}  // namespace
}  // namespace plimsoll::docker
