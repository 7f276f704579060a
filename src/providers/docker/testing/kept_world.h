#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <utility>
#include <vector>

#include "os/system_clock.h"
#include "providers/docker/probes/smoke_report.h"
#include "providers/docker/provider.h"
#include "providers/docker/testing/fake_launcher.h"
#include "providers/docker/testing/memory_engine.h"
#include "providers/docker/testing/stub_preflight.h"
#include "testkit/capture_log.h"

// Kept sandboxes of a provider, over sandboxes without containers and an engine that answers what a test tells it.
namespace plimsoll::docker::testing_kept {

using provider::KeptCall;
using run::SessionEnd;
using run::SessionEnded;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using Facts = FakeWorld::Facts;
using Kind = EngineError::Kind;
using Status = ContainerState::Status;

inline EngineError Failed(Kind kind) {
  return {.kind = kind, .sent = http::Sent::kMaybe, .detail = "the engine's own words"};
}

inline ContainerRecord Sound() {
  return {
      .state = {.status = Status::kRunning, .runtime = "runc", .image = "sha256:ap"},
      .user = "61000:61000",
      .settings = {{"NetworkMode", "\"none\""}, {"ReadonlyRootfs", "true"}, {"Privileged", "false"}, {"CapAdd", "[]"}},
      .mounts = {},
      .networks = {}};
}

// One container, as an engine states it.
class StatingEngine final : public MemoryEngine {
 public:
  struct Script {
    ContainerRecord record = Sound();
    std::optional<EngineError> error = {};  // of every look
    bool is_listed = true;
    std::optional<EngineError> listing_error = {};
    std::optional<EngineError> pause_error = {};
    std::optional<EngineError> unpause_error = {};
    int late_pauses = 0;  // looks after a resume that still read as paused
    std::function<void()> on_look = {};
    int pauses = 0;
    int unpauses = 0;
  };
  base::Guarded<Script> script;

  Answer<ContainerRecord> Examine(std::string_view /*id*/, const http::Bounds& /*bounds*/) override {
    auto now = script.Lock();
    if (now->on_look) {
      now->on_look();
    }
    if (now->error) {
      return *now->error;
    }
    ContainerRecord record = now->record;
    if (now->unpauses > 0 && now->late_pauses > 0) {
      --now->late_pauses;
      record.state.status = Status::kPaused;
    }
    return record;
  }
  Answer<base::Done> Pause(std::string_view /*id*/, const http::Bounds& /*bounds*/) override {
    auto now = script.Lock();
    ++now->pauses;
    if (now->pause_error) {
      return *now->pause_error;
    }
    now->record.state.status = Status::kPaused;
    return base::Done{};
  }
  Answer<base::Done> Unpause(std::string_view /*id*/, const http::Bounds& /*bounds*/) override {
    auto now = script.Lock();
    ++now->unpauses;
    if (now->unpause_error) {
      return *now->unpause_error;
    }
    now->record.state.status = Status::kRunning;
    return base::Done{};
  }
  Answer<std::vector<ContainerListed>> ListById(std::string_view id, const http::Bounds& /*bounds*/) override {
    auto now = script.Lock();
    if (now->listing_error) {
      return *now->listing_error;
    }
    return now->is_listed ? std::vector<ContainerListed>{{.id = std::string(id), .names = {}, .labels = {}}}
                          : std::vector<ContainerListed>();
  }
};

inline run::Request Validated(run::Payload payload, std::string floor = {}) {
  run::Draft draft;
  draft.protocol = 5;
  draft.minimum_isolation = std::move(floor);
  draft.payload = std::move(payload);
  return std::move(run::Request::Validate(std::move(draft), run::Request::Cells::kAllowed)).value();
}
inline run::Request Snippet(std::string floor = {}) {
  return Validated(run::JavaScript{.code = "code", .grant_profile = {}}, std::move(floor));
}

inline Settings WithSessions() {
  Settings settings;
  settings.max_concurrent = 2;
  settings.sessions = Settings::Sessions::kOn;
  return settings;
}

using Opened = base::Result<std::shared_ptr<provider::Sandbox>>;

struct Kept {
  explicit Kept(Settings settings = WithSessions()) {
    auto made = std::make_shared<State>(*FakeState());
    made->engine = engine;
    state = made;
    const Provider::Parts parts{
        .preflight = [this](const Settings&) { return std::make_unique<StubPreflight>(state); },
        .launcher = [this](const Settings&, Leases&) { return std::make_unique<FakeLauncher>(world); },
        .smoke =
            [this](const std::shared_ptr<const State>& of, const Settings& own, Launcher&, base::SteadyTime) {
              return JudgeSmokeTest(*of, own, {.probes = {}, .languages = {}, .is_complete = true}, clock.Wall(),
                                    clock.Wall());
            }};
    provider = Provider::CreateFrom(settings, parts, clock, log);
    EXPECT_TRUE(provider->SmokeTest(steady_clock::now() + seconds(1)));
  }

  Opened Open(std::stop_token stop = {}, isolation::Floor floor = isolation::Floor::Absent()) {
    auto promise = std::make_shared<std::promise<Opened>>();
    auto future = promise->get_future();
    provider->Open({.principal = "p",
                    .stop = std::move(stop),
                    .floor = floor,
                    .ends = clock.Wall() + seconds(60),
                    .ended = [this](SessionEnded end) { told.Lock()->push_back(std::move(end)); }},
                   [promise](Opened opened) { promise->set_value(std::move(opened)); });
    return future.get();
  }
  std::shared_ptr<provider::Sandbox> MustOpen() {
    auto opened = Open();
    EXPECT_TRUE(opened) << base::TextOf(opened.error());
    return opened ? *opened : nullptr;
  }
  KeptCall Call(provider::Sandbox& sandbox, const run::Request& request = Snippet(), std::stop_token stop = {}) {
    auto promise = std::make_shared<std::promise<KeptCall>>();
    auto future = promise->get_future();
    sandbox.Run({.request = request, .principal = "p", .stop = std::move(stop)},
                [promise](KeptCall call) { promise->set_value(std::move(call)); });
    return future.get();
  }
  base::Status Suspend(provider::Sandbox& sandbox) {
    return Asked([&](auto done) { sandbox.Suspend(steady_clock::now() + seconds(10), std::move(done)); });
  }
  base::Status Remove(provider::Sandbox& sandbox) {
    return Asked([&](auto done) { sandbox.Remove(std::move(done)); });
  }
  void Change(const std::function<void(StatingEngine::Script&)>& change) { change(*engine->script.Lock()); }
  std::vector<SessionEnded> Told() { return *told.Lock(); }
  // Between two calls: what comes next waits for the sweep.
  void AwaitSweep(provider::Sandbox& sandbox) { static_cast<void>(Suspend(sandbox)); }

  template <typename Ask>
  base::Status Asked(Ask ask) {
    auto promise = std::make_shared<std::promise<base::Status>>();
    auto future = promise->get_future();
    ask(base::UniqueFunction<void(base::Status)>(
        [promise](base::Status status) { promise->set_value(std::move(status)); }));
    return future.get();
  }

  std::shared_ptr<FakeWorld> world = std::make_shared<FakeWorld>();
  std::shared_ptr<StatingEngine> engine = std::make_shared<StatingEngine>();
  std::shared_ptr<const State> state;
  os::SystemClock clock;
  testkit::CaptureLog log;
  base::Guarded<std::vector<SessionEnded>> told;
  std::unique_ptr<Provider> provider;
};

inline base::Rule RuleOf(const KeptCall& call) {
  const auto* refusal = base::RefusalIn(call.outcome);
  return refusal == nullptr ? base::Rule::kSessionUnknown : refusal->rule;
}
inline base::Rule RuleOf(const Opened& opened) {
  const auto* refusal = base::RefusalIn(opened);
  return refusal == nullptr ? base::Rule::kSessionUnknown : refusal->rule;
}
inline std::optional<SessionEnd> EndIn(const KeptCall& call) {
  return call.ended ? std::optional(call.ended->reason) : std::nullopt;
}

}  // namespace plimsoll::docker::testing_kept
