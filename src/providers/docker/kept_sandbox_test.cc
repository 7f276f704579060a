#include "providers/docker/kept_sandbox.h"

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
namespace plimsoll::docker {
namespace {

using provider::KeptCall;
using run::SessionEnd;
using run::SessionEnded;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using Facts = FakeWorld::Facts;
using Kind = EngineError::Kind;
using Status = ContainerState::Status;

EngineError Failed(Kind kind) { return {.kind = kind, .sent = http::Sent::kMaybe, .detail = "the engine's own words"}; }

ContainerRecord Sound() {
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

run::Request Validated(run::Payload payload, std::string floor = {}) {
  run::Draft draft;
  draft.protocol = 5;
  draft.minimum_isolation = std::move(floor);
  draft.payload = std::move(payload);
  return std::move(run::Request::Validate(std::move(draft), run::Request::Cells::kAllowed)).value();
}
run::Request Snippet(std::string floor = {}) {
  return Validated(run::JavaScript{.code = "code", .grant_profile = {}}, std::move(floor));
}

Settings WithSessions() {
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

base::Rule RuleOf(const KeptCall& call) {
  const auto* refusal = base::RefusalIn(call.outcome);
  return refusal == nullptr ? base::Rule::kSessionUnknown : refusal->rule;
}
base::Rule RuleOf(const Opened& opened) {
  const auto* refusal = base::RefusalIn(opened);
  return refusal == nullptr ? base::Rule::kSessionUnknown : refusal->rule;
}
std::optional<SessionEnd> EndIn(const KeptCall& call) {
  return call.ended ? std::optional(call.ended->reason) : std::nullopt;
}

// --- opening

TEST(KeptSandbox, IsOfferedWhereSessionsAreOnAndTheImageIsProven) {
  Kept kept;
  ASSERT_TRUE(kept.provider->Offer().session);
  EXPECT_EQ(kept.provider->Offer().session->identity, "docker-image:sha256:ap");
  EXPECT_EQ(kept.provider->Offer().session->max_timeout, seconds(120));
  EXPECT_TRUE(kept.provider->Offer().session->languages.empty());
  Kept off{Settings()};
  EXPECT_FALSE(off.provider->Offer().session);
  EXPECT_EQ(RuleOf(off.Open()), base::Rule::kUnsupported);
  EXPECT_EQ(off.world->facts.Lock()->launches, 0U);
}

TEST(KeptSandbox, StatesWhatItIsAndServesCalls) {
  Kept kept;
  const auto sandbox = kept.MustOpen();
  EXPECT_EQ(sandbox->Facts().environment, "docker-image:sha256:ap");
  EXPECT_EQ(sandbox->Facts().tier, isolation::Tier::kContainer);
  for (int call = 0; call < 3; ++call) {
    const KeptCall answer = kept.Call(*sandbox);
    ASSERT_TRUE(answer.outcome) << base::TextOf(answer.outcome.error());
    EXPECT_FALSE(answer.ended);
    EXPECT_EQ(answer.outcome->environment, "docker-image:sha256:ap");
    EXPECT_EQ(std::get<run::JavaScriptResult>(answer.outcome->result).stdout_bytes, "code");
  }
  kept.AwaitSweep(*sandbox);
  EXPECT_EQ(kept.world->facts.Lock()->sweeps, 4U);  // the first before any call
  EXPECT_TRUE(kept.Remove(*sandbox));
}

TEST(KeptSandbox, DOC4_WhatIsNotAsAskedForIsRemovedAndRefused) {
  const std::vector<std::function<void(Kept&)>> flaws = {
      [](Kept& kept) { kept.Change([](auto& script) { script.record.settings["Privileged"] = "true"; }); },
      [](Kept& kept) { kept.Change([](auto& script) { script.error = Failed(Kind::kDeadline); }); },
      [](Kept& kept) { kept.world->Set([](Facts& facts) { facts.fail_sweeps = true; }); },
      [](Kept& kept) {
        kept.world->Set([](Facts& facts) { facts.swept.verdict = frames::agent::Swept::Verdict::kUnproven; });
      },
      [](Kept& kept) { kept.world->Set([](Facts& facts) { facts.break_launches = true; }); },
      [](Kept& kept) { kept.world->Set([](Facts& facts) { facts.refuse_launches = true; }); }};
  for (const auto& flaw : flaws) {
    Kept kept;
    flaw(kept);
    EXPECT_EQ(RuleOf(kept.Open()), base::Rule::kUnavailable);
    EXPECT_TRUE(kept.world->facts.Lock()->alive.empty());
    EXPECT_EQ(kept.provider->CountPool().shares, 0U);
    EXPECT_TRUE(kept.provider->Drain(steady_clock::now() + seconds(1)));
  }
}

TEST(KeptSandbox, WhatCouldNotBeRemovedAfterAFailedOpenIsAFault) {
  Kept kept;
  kept.world->Set([](Facts& facts) { facts.break_launches = facts.fail_removals = true; });
  EXPECT_NE(base::FaultIn(kept.Open()), nullptr);
}

TEST(KeptSandbox, XA8_ACallerWhoLeavesDuringTheOpenGetsNone) {
  Kept kept;
  std::stop_source stop;
  kept.world->Set([](Facts& facts) { facts.hold_launches = true; });
  auto opened = std::async(std::launch::async, [&] { return kept.Open(stop.get_token()); });
  ASSERT_TRUE(kept.world->Await([](const Facts& facts) { return facts.launching == 1; }));
  stop.request_stop();
  EXPECT_EQ(RuleOf(opened.get()), base::Rule::kCanceled);
  EXPECT_TRUE(kept.world->facts.Lock()->alive.empty());
}

TEST(KeptSandbox, XA8_ACallerWhoLeavesWhenItIsMadeGetsNone) {
  Kept kept;
  std::stop_source stop;
  kept.Change([&](auto& script) { script.on_look = [&] { stop.request_stop(); }; });
  EXPECT_EQ(RuleOf(kept.Open(stop.get_token())), base::Rule::kCanceled);
  EXPECT_TRUE(kept.world->facts.Lock()->alive.empty());
}

TEST(KeptSandbox, DOC8_TheFloorIsHeldAgainstTheVerySandbox) {
  Kept kept;
  EXPECT_EQ(RuleOf(kept.Open({}, isolation::Floor::Parse("kernel").value())), base::Rule::kInsufficientIsolation);
  const auto sandbox = kept.MustOpen();
  EXPECT_EQ(RuleOf(kept.Call(*sandbox, Snippet("kernel"))), base::Rule::kInsufficientIsolation);
  EXPECT_TRUE(kept.Call(*sandbox).outcome);
}

TEST(KeptSandbox, POOL4_TakesTheRoomOfARunUntilItIsGone) {
  Kept kept;
  const auto one = kept.MustOpen();
  const auto two = kept.MustOpen();
  EXPECT_EQ(kept.provider->CountPool().shares, 2U);
  EXPECT_EQ(RuleOf(kept.Open()), base::Rule::kAtCapacity);
  kept.world->Set([](Facts& facts) { facts.fail_removals = true; });
  EXPECT_NE(base::FaultIn(kept.Remove(*one)), nullptr);
  EXPECT_EQ(kept.provider->CountPool().shares, 2U);
  EXPECT_EQ(RuleOf(kept.Open()), base::Rule::kAtCapacity);
  kept.world->Set([](Facts& facts) { facts.fail_removals = false; });
  EXPECT_TRUE(kept.Remove(*one));
  EXPECT_EQ(kept.provider->CountPool().shares, 1U);
  EXPECT_NE(kept.MustOpen(), nullptr);
}

// --- calls that are refused

TEST(KeptSandbox, RefusesWhatItDoesNotServeAndGoesOn) {
  Kept kept;
  const auto sandbox = kept.MustOpen();
  EXPECT_EQ(RuleOf(kept.Call(*sandbox, Validated(run::Cell{.language = "python", .code = "1", .files = {}}))),
            base::Rule::kNotProven);
  EXPECT_EQ(
      RuleOf(kept.Call(*sandbox, Validated(run::Module{.model = "m", .rows = {{1.0}}, .end_time = 1, .step = 0.5}))),
      base::Rule::kUnsupported);
  EXPECT_EQ(RuleOf(kept.Call(*sandbox, Validated(run::JavaScript{.code = "1", .grant_profile = "g"}))),
            base::Rule::kUnsupported);
  EXPECT_EQ(kept.world->facts.Lock()->prepared, 0U);
  EXPECT_TRUE(kept.Call(*sandbox).outcome);
}

TEST(KeptSandbox, S36_OneThatCannotBeReadBackNowIsRefusedAndGoesOn) {
  for (const auto& change : std::vector<std::function<void(StatingEngine::Script&)>>{
           [](auto& script) { script.error = Failed(Kind::kDeadline); },
           [](auto& script) { script.error = Failed(Kind::kMalformed); },
           [](auto& script) { script.error = Failed(Kind::kNotFound); },  // and yet it is listed
           [](auto& script) {
             script.error = Failed(Kind::kUnreachable);
             script.listing_error = Failed(Kind::kUnreachable);
             script.is_listed = false;
           }}) {
    Kept kept;
    const auto sandbox = kept.MustOpen();
    kept.Change(change);
    const KeptCall answer = kept.Call(*sandbox);
    EXPECT_EQ(RuleOf(answer), base::Rule::kUnavailable);
    EXPECT_EQ(base::ReasonOf(RuleOf(answer)), base::Reason::kEnvironment);
    EXPECT_FALSE(answer.ended);
    EXPECT_EQ(kept.world->facts.Lock()->prepared, 0U);
    kept.Change([](auto& script) { script.error.reset(); });
    EXPECT_TRUE(kept.Call(*sandbox).outcome);
  }
}

TEST(KeptSandbox, S34_S35_OneThatChangedOrEndedServesNoCall) {
  const std::vector<std::pair<SessionEnd, std::function<void(StatingEngine::Script&)>>> changes = {
      {SessionEnd::kSandboxChanged, [](auto& script) { script.record.settings["Memory"] = "1"; }},
      {SessionEnd::kSandboxChanged, [](auto& script) { script.record.state.status = Status::kPaused; }},
      {SessionEnd::kMainProcessEnded, [](auto& script) { script.record.state.status = Status::kExited; }},
      {SessionEnd::kSandboxChanged, [](auto& script) {
         script.error = Failed(Kind::kNotFound);
         script.is_listed = false;
       }}};
  for (const auto& [reason, change] : changes) {
    Kept kept;
    const auto sandbox = kept.MustOpen();
    kept.Change(change);
    for (int call = 0; call < 2; ++call) {
      const KeptCall answer = kept.Call(*sandbox);
      EXPECT_EQ(base::ReasonOf(RuleOf(answer)), base::Reason::kEnvironment);
      EXPECT_EQ(EndIn(answer), reason);
    }
    EXPECT_EQ(kept.world->facts.Lock()->prepared, 0U);
    EXPECT_TRUE(kept.Told().empty());
    EXPECT_NE(base::FaultIn(kept.Suspend(*sandbox)), nullptr);
    EXPECT_TRUE(kept.Remove(*sandbox));
  }
}

// --- after a call

TEST(KeptSandbox, OfAContainerThatIsNoLongerThereNoExitIsUsed) {
  const std::vector<std::pair<SessionEnd, std::function<void(StatingEngine::Script&)>>> changes = {
      {SessionEnd::kMainProcessEnded, [](auto& script) { script.record.state.status = Status::kExited; }},
      {SessionEnd::kSandboxChanged, [](auto& script) { script.record.state.status = Status::kPaused; }},
      {SessionEnd::kMainProcessEnded,
       [](auto& script) {
         script.error = Failed(Kind::kNotFound);
         script.is_listed = false;
       }},
      {SessionEnd::kBoundaryFailed, [](auto& script) { script.error = Failed(Kind::kDeadline); }}};
  for (const auto& [reason, change] : changes) {
    Kept kept;
    const auto sandbox = kept.MustOpen();
    kept.world->Set([](Facts& facts) {
      facts.hold_runs = true;
      facts.exit_code = 3;
    });
    auto call = std::async(std::launch::async, [&] { return kept.Call(*sandbox); });
    ASSERT_TRUE(kept.world->Await([](const Facts& facts) { return facts.prepared == 1; }));
    kept.Change(change);
    kept.world->Set([](Facts& facts) { facts.hold_runs = false; });
    const KeptCall answer = call.get();
    EXPECT_EQ(EndIn(answer), reason);
    // The agent's own word stands where nobody contradicts it.
    EXPECT_EQ(answer.outcome.has_value(), reason == SessionEnd::kBoundaryFailed);
    EXPECT_EQ(kept.world->facts.Lock()->sweeps, 1U) << "what has ended is not swept";
  }
}

TEST(KeptSandbox, S37_ASweepThatIsNotCleanEndsItAndIsToldOnce) {
  using Verdict = frames::agent::Swept::Verdict;
  const std::vector<std::pair<SessionEnd, std::function<void(Facts&)>>> verdicts = {
      {SessionEnd::kDiskExceeded, [](Facts& facts) { facts.swept = {.verdict = Verdict::kOverBudget, .used = 9}; }},
      {SessionEnd::kDiskExceeded, [](Facts& facts) { facts.swept.verdict = Verdict::kUnmeasurable; }},
      {SessionEnd::kBoundaryFailed, [](Facts& facts) { facts.swept.verdict = Verdict::kUnproven; }},
      {SessionEnd::kBoundaryFailed, [](Facts& facts) { facts.fail_sweeps = true; }}};
  for (const auto& [reason, change] : verdicts) {
    Kept kept;
    const auto sandbox = kept.MustOpen();
    kept.world->Set(change);
    EXPECT_TRUE(kept.Call(*sandbox).outcome);
    EXPECT_NE(base::FaultIn(kept.Suspend(*sandbox)), nullptr);
    ASSERT_EQ(kept.Told().size(), 1U);
    EXPECT_EQ(kept.Told()[0].reason, reason);
    EXPECT_EQ(EndIn(kept.Call(*sandbox)), reason);
    EXPECT_EQ(kept.Told().size(), 1U);
    // A guest that could not be cleared is taken down without waiting for a removal.
    EXPECT_EQ(kept.world->facts.Lock()->kills, reason == SessionEnd::kBoundaryFailed ? 1U : 0U);
  }
}

TEST(KeptSandbox, AnUnprovenSweepOfAContainerThatEndedIsItsEnd) {
  Kept kept;
  const auto sandbox = kept.MustOpen();
  kept.world->Set([](Facts& facts) { facts.fail_sweeps = true; });
  EXPECT_TRUE(kept.Call(*sandbox).outcome);
  kept.AwaitSweep(*sandbox);
  Kept other;
  const auto stopped = other.MustOpen();
  other.world->Set([](Facts& facts) {
    facts.fail_sweeps = true;
    facts.hold_runs = true;
  });
  auto call = std::async(std::launch::async, [&] { return other.Call(*stopped); });
  ASSERT_TRUE(other.world->Await([](const Facts& facts) { return facts.prepared == 1; }));
  other.Change([](auto& script) { script.record.state.status = Status::kExited; });
  other.world->Set([](Facts& facts) { facts.hold_runs = false; });
  EXPECT_TRUE(call.get().outcome);
  other.AwaitSweep(*stopped);
  ASSERT_EQ(other.Told().size(), 1U);
  EXPECT_EQ(other.Told()[0].reason, SessionEnd::kMainProcessEnded);
}

// --- suspending

TEST(KeptSandbox, S38_IsResumedByTheNextCall) {
  Kept kept;
  const auto sandbox = kept.MustOpen();
  EXPECT_TRUE(kept.Suspend(*sandbox));
  EXPECT_EQ(kept.engine->script.Lock()->pauses, 1);
  kept.Change([](auto& script) { script.late_pauses = 3; });  // what an engine notes late is no pause by another
  EXPECT_TRUE(kept.Call(*sandbox).outcome);
  EXPECT_EQ(kept.engine->script.Lock()->unpauses, 1);
  EXPECT_TRUE(kept.Call(*sandbox).outcome);
  EXPECT_EQ(kept.engine->script.Lock()->unpauses, 1);
}

TEST(KeptSandbox, ASuspendOrResumeThatFailsEndsIt) {
  Kept kept;
  const auto sandbox = kept.MustOpen();
  kept.Change([](auto& script) { script.pause_error = Failed(Kind::kRefused); });
  EXPECT_NE(base::FaultIn(kept.Suspend(*sandbox)), nullptr);
  EXPECT_EQ(EndIn(kept.Call(*sandbox)), SessionEnd::kBoundaryFailed);
  EXPECT_TRUE(kept.Told().empty());
  const std::vector<std::pair<SessionEnd, std::function<void(StatingEngine::Script&)>>> changes = {
      {SessionEnd::kBoundaryFailed, [](auto&) {}},
      {SessionEnd::kBoundaryFailed, [](auto& script) { script.error = Failed(Kind::kDeadline); }},
      {SessionEnd::kSandboxChanged, [](auto& script) { script.record.state.status = Status::kRunning; }},
      {SessionEnd::kMainProcessEnded, [](auto& script) { script.record.state.status = Status::kExited; }},
      {SessionEnd::kSandboxChanged, [](auto& script) {
         script.error = Failed(Kind::kNotFound);
         script.is_listed = false;
       }}};
  for (const auto& [reason, change] : changes) {
    Kept frozen;
    const auto other = frozen.MustOpen();
    EXPECT_TRUE(frozen.Suspend(*other));
    frozen.Change([](auto& script) { script.unpause_error = Failed(Kind::kRefused); });
    frozen.Change(change);
    EXPECT_EQ(EndIn(frozen.Call(*other)), reason);
    EXPECT_EQ(frozen.world->facts.Lock()->prepared, 0U);
  }
}

// --- removing

TEST(KeptSandbox, ARemovalAnswersTheCallThatRunsAndThoseThatWait) {
  Kept kept;
  const auto sandbox = kept.MustOpen();
  kept.world->Set([](Facts& facts) { facts.hold_runs = true; });
  auto running = std::async(std::launch::async, [&] { return kept.Call(*sandbox); });
  ASSERT_TRUE(kept.world->Await([](const Facts& facts) { return facts.prepared == 1; }));
  auto waiting = std::async(std::launch::async, [&] { return kept.Call(*sandbox); });
  EXPECT_TRUE(kept.Remove(*sandbox));
  EXPECT_NE(base::FaultIn(running.get().outcome), nullptr);
  EXPECT_NE(base::FaultIn(waiting.get().outcome), nullptr);
  EXPECT_TRUE(kept.Told().empty());
  EXPECT_EQ(kept.world->facts.Lock()->kills, 1U);
  EXPECT_TRUE(kept.world->facts.Lock()->alive.empty());
  EXPECT_NE(base::FaultIn(kept.Call(*sandbox).outcome), nullptr);
  EXPECT_TRUE(kept.Remove(*sandbox));
}

TEST(KeptSandbox, TheProvidersEndInterruptsACallAndRemovesWhatIsLetGo) {
  Kept kept;
  auto sandbox = kept.MustOpen();
  kept.world->Set([](Facts& facts) { facts.hold_runs = true; });
  std::promise<KeptCall> promise;
  const auto request = Snippet();
  sandbox->Run({.request = request, .principal = "p", .stop = {}},
               [&](KeptCall call) { promise.set_value(std::move(call)); });
  ASSERT_TRUE(kept.world->Await([](const Facts& facts) { return facts.prepared == 1; }));
  EXPECT_NE(base::FaultIn(kept.provider->Drain(steady_clock::now() + milliseconds(50))), nullptr);
  EXPECT_EQ(RuleOf(kept.Open()), base::Rule::kUnavailable);
  sandbox.reset();
  kept.provider.reset();
  EXPECT_NE(base::FaultIn(promise.get_future().get().outcome), nullptr);
  EXPECT_TRUE(kept.world->facts.Lock()->alive.empty());
}

}  // namespace
}  // namespace plimsoll::docker
