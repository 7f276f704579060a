#include "providers/docker/provider.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "os/system_clock.h"
#include "providers/docker/probes/smoke_report.h"
#include "providers/docker/testing/fake_launcher.h"
#include "providers/docker/testing/stub_preflight.h"
#include "testkit/capture_log.h"

// The provider over sandboxes without containers.
namespace plimsoll::docker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using Facts = FakeWorld::Facts;
using Answer = base::Result<run::Report>;

run::Request Validated(run::Payload payload, std::string floor = {}, run::SoftwareRuleDraft software = {}) {
  run::Draft draft;
  draft.protocol = 5;
  draft.minimum_isolation = std::move(floor);
  draft.software_rule = std::move(software);
  draft.payload = std::move(payload);
  return std::move(run::Request::Validate(std::move(draft), run::Request::Cells::kRefused)).value();
}
run::Request Snippet(std::string floor = {}) {
  return Validated(run::JavaScript{.code = "code", .grant_profile = {}}, std::move(floor));
}
run::Request Project(std::string grant = {}) {
  run::Project project;
  project.steps = {"true"};
  project.grant_profile = std::move(grant);
  return Validated(std::move(project));
}
run::Request Module() { return Validated(run::Module{.model = "m", .rows = {{1.0}}, .end_time = 1, .step = 0.5}); }

struct Provided {
  explicit Provided(Settings settings = {}) {
    const Provider::Parts parts{
        .preflight =
            [this](const Settings&) {
              auto stub = std::make_unique<StubPreflight>(FakeState());
              preflight = stub.get();
              return stub;
            },
        .launcher = [this](const Settings&, Leases&) { return std::make_unique<FakeLauncher>(world); },
        .smoke = [this](const std::shared_ptr<const State>& state, const Settings& own, Launcher&,
                        base::SteadyTime) { return JudgeSmokeTest(*state, own, battery, clock.Wall(), clock.Wall()); }};
    provider = Provider::CreateFrom(settings, parts, clock, log);
  }
  void Prove() { EXPECT_TRUE(provider->SmokeTest(steady_clock::now() + seconds(1))); }

  std::future<Answer> Start(const run::Request& request, std::stop_token stop = {}, base::Cleanup* slots = nullptr) {
    auto promise = std::make_shared<std::promise<Answer>>();
    auto future = promise->get_future();
    provider->Run({.request = request, .principal = "p", .stop = std::move(stop), .slots = slots},
                  [promise](Answer answer) { promise->set_value(std::move(answer)); });
    return future;
  }
  Answer Run(const run::Request& request) { return Start(request).get(); }
  base::Rule RuleOf(const run::Request& request) {
    const Answer answer = Run(request);
    const auto* refusal = base::RefusalIn(answer);
    return refusal == nullptr ? base::Rule::kSessionUnknown : refusal->rule;
  }

  std::shared_ptr<FakeWorld> world = std::make_shared<FakeWorld>();
  BatteryResult battery{.probes = {}, .languages = {}, .is_complete = true};  // of the next smoke test
  os::SystemClock clock;
  testkit::CaptureLog log;
  StubPreflight* preflight = nullptr;  // the provider's
  std::unique_ptr<Provider> provider;
};

TEST(DockerProvider, RunsNothingBeforeASmokeTestHasPassed) {
  Provided p;
  EXPECT_EQ(p.RuleOf(Snippet()), base::Rule::kNotProven);
  EXPECT_EQ(p.world->facts.Lock()->launches, 0U);
  EXPECT_EQ(p.provider->Offer().javascript->identity, "");
  EXPECT_EQ(p.provider->Offer().javascript->max_timeout, seconds(30));  // ceilings are stated before
  EXPECT_EQ(p.provider->Offer().project->max_timeout, seconds(120));
  p.Prove();
  EXPECT_EQ(p.provider->Offer().javascript->identity, "docker-image:sha256:as");
  EXPECT_EQ(p.provider->Offer().project->identity, "docker-image:sha256:ap");
}

TEST(DockerProvider, KeepsTheBatteryThatFailedForTheDoctorAndStatesOnlyOneThatPassed) {
  using isolation::Probe;
  Provided p;
  EXPECT_EQ(p.provider->LastBattery(), nullptr);
  p.battery.probes = {
      {.id = "snippet/root-write", .outcome = Probe::Outcome::kPass, .tried = "", .detail = "refused"},
      {.id = "snippet/pids-limit", .outcome = Probe::Outcome::kFail, .tried = "", .detail = "not stopped"}};
  const auto failed = p.provider->SmokeTest(steady_clock::now() + seconds(1));
  ASSERT_NE(base::RefusalIn(failed), nullptr);
  EXPECT_NE(base::RefusalIn(failed)->message.find("snippet/pids-limit: not stopped"), std::string::npos);
  EXPECT_EQ(p.provider->Probes(), nullptr);
  const auto battery = p.provider->LastBattery();
  ASSERT_NE(battery, nullptr);
  ASSERT_EQ(battery->probes.size(), 2U);
  EXPECT_EQ(battery->probes[0].id, "snippet/pids-limit");
  EXPECT_EQ(battery->probes[0].outcome, Probe::Outcome::kFail);
  EXPECT_EQ(battery->probes[0].detail, "not stopped");
  EXPECT_EQ(p.RuleOf(Snippet()), base::Rule::kNotProven);
  p.battery.probes[1].outcome = Probe::Outcome::kPass;
  p.Prove();
  ASSERT_NE(p.provider->Probes(), nullptr);
  EXPECT_EQ(p.provider->LastBattery(), p.provider->Probes());
}

TEST(DockerProvider, ReportsTheStateThatRanIt) {
  Provided p;
  p.Prove();
  const Answer answer = p.Run(Snippet());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->provider, "docker");
  EXPECT_EQ(answer->tier, isolation::Tier::kContainer);
  EXPECT_EQ(answer->environment, "docker-image:sha256:as");
  EXPECT_EQ(std::get<run::JavaScriptResult>(answer->result).stdout_bytes, "code");
}

TEST(DockerProvider, RefusesInTheOrderOfTheChecks) {
  Provided p;
  p.Prove();
  EXPECT_EQ(p.RuleOf(Snippet("vm")), base::Rule::kInsufficientIsolation);
  EXPECT_EQ(
      p.RuleOf(Validated(run::JavaScript{.code = "c", .grant_profile = {}}, "",
                         {.mode = "exact", .identities = {"oci-manifest:linux/amd64@sha256:" + std::string(64, 'a')}})),
      base::Rule::kSoftwareMismatch);
  EXPECT_EQ(p.RuleOf(Module()), base::Rule::kUnsupported);
  EXPECT_EQ(p.RuleOf(Project("profile")), base::Rule::kUnsupported);
  EXPECT_EQ(p.world->facts.Lock()->launches, 0U);
}

TEST(DockerProvider, P30_WhatThePreflightRefusesIsTheAnswer) {
  Provided p;
  p.Prove();
  p.preflight->Refuse(base::Refusal{base::Rule::kNotProven, "the tag names another image now"});
  EXPECT_EQ(p.RuleOf(Snippet()), base::Rule::kNotProven);
  EXPECT_EQ(p.provider->Tier(), isolation::Tier::kContainer);
  EXPECT_EQ(p.world->facts.Lock()->launches, 0U);
}

TEST(DockerProvider, TheFloorIsHeldAgainstTheStateOfThisVeryRun) {
  Provided p;
  p.Prove();
  // Between the first look and the run the evidence for the kernel tier lapsed.
  auto kernel = std::make_shared<State>(*FakeState());
  kernel->tier = isolation::Tier::kKernel;
  p.preflight->SetState(kernel);
  EXPECT_TRUE(p.Run(Snippet("kernel")));
  p.preflight->SetState(FakeState());
  EXPECT_EQ(p.RuleOf(Snippet("kernel")), base::Rule::kInsufficientIsolation);
}

TEST(DockerProvider, P40_ACreateThatIsRefusedIsARefusalAndAFailedStartIsNot) {
  Provided p;
  p.Prove();
  p.world->Set([](Facts& facts) { facts.refuse_launches = true; });
  EXPECT_EQ(p.RuleOf(Snippet()), base::Rule::kUnavailable);
  p.world->Set([](Facts& facts) {
    facts.refuse_launches = false;
    facts.break_launches = true;
  });
  const Answer answer = p.Run(Snippet());
  EXPECT_NE(base::FaultIn(answer), nullptr);
  EXPECT_TRUE(p.world->Await([](const Facts& facts) { return facts.alive.empty(); }));
}

TEST(DockerProvider, NoMoreRunsAtOnceThanWereAllowedButARemovalIsNoRun) {
  Provided p({.max_concurrent = 2});
  p.Prove();
  p.world->Set([](Facts& facts) { facts.hold_runs = true; });
  const auto request = Snippet();
  auto first = p.Start(request);
  auto second = p.Start(request);
  EXPECT_EQ(p.RuleOf(request), base::Rule::kAtCapacity);
  p.world->Set([](Facts& facts) {
    facts.hold_runs = false;
    facts.hold_removals = true;
  });
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
  // Both sandboxes are still being removed: a third run waits for one of them.
  auto third = p.Start(request);
  EXPECT_EQ(third.wait_for(milliseconds(50)), std::future_status::timeout);
  p.world->Set([](Facts& facts) { facts.hold_removals = false; });
  EXPECT_TRUE(third.get());
  EXPECT_LE(p.world->facts.Lock()->most_alive, 2U);
}

TEST(DockerProvider, ARunWhoseTimeIsOverBeforeASandboxIsFreeIsRefused) {
  Provided p({.max_concurrent = 1});
  p.Prove();
  p.world->Set([](Facts& facts) { facts.hold_removals = true; });
  EXPECT_TRUE(p.Run(Snippet()));
  run::Draft draft;
  draft.protocol = 5;
  draft.timeout_ms = 20;
  draft.payload = run::JavaScript{.code = "code", .grant_profile = {}};
  const auto request = std::move(run::Request::Validate(std::move(draft), run::Request::Cells::kRefused)).value();
  auto waiting = p.Start(request);
  ASSERT_EQ(waiting.wait_for(seconds(5)), std::future_status::ready);  // while the removal goes on
  p.world->Set([](Facts& facts) { facts.hold_removals = false; });
  const Answer answer = waiting.get();
  ASSERT_NE(base::RefusalIn(answer), nullptr);
  EXPECT_EQ(base::RefusalIn(answer)->rule, base::Rule::kAtCapacity);
}

TEST(DockerProvider, SlotsComeBackOnceTheSandboxIsGoneAlsoAfterAFault) {
  Provided p;
  p.Prove();
  for (const bool breaks : {false, true}) {
    p.world->Set([&](Facts& facts) { facts.break_launches = breaks; });
    std::promise<std::size_t> alive;
    base::Cleanup slots([&] { alive.set_value(p.world->facts.Lock()->alive.size()); });
    const auto request = Snippet();
    EXPECT_EQ(p.Start(request, {}, &slots).get().has_value(), !breaks);
    EXPECT_EQ(alive.get_future().get(), 0U);
  }
}

TEST(DockerProvider, ACallerWhoLeavesEndsTheRunAsCanceled) {
  Provided p;
  p.Prove();
  p.world->Set([](Facts& facts) { facts.hold_runs = true; });
  std::stop_source stop;
  const auto request = Snippet();
  auto answer = p.Start(request, stop.get_token());
  ASSERT_TRUE(p.world->Await([](const Facts& facts) { return facts.alive.size() == 1; }));
  stop.request_stop();
  const Answer ended = answer.get();
  ASSERT_NE(base::FaultIn(ended), nullptr);
  EXPECT_EQ(base::FaultIn(ended)->kind, base::FaultKind::kCanceled);
  EXPECT_TRUE(p.world->Await([](const Facts& facts) { return facts.alive.empty(); }));
  EXPECT_EQ(p.world->facts.Lock()->kills, 1U);  // before its caller was told
}

TEST(DockerProvider, ItsEndStopsEveryRunAndRemovesEverySandbox) {
  Provided p({.max_concurrent = 3, .run_pool = 2});
  p.Prove();
  ASSERT_TRUE(p.world->Await([](const Facts& facts) { return facts.alive.size() == 2; }));
  p.world->Set([](Facts& facts) { facts.hold_runs = true; });
  const auto request = Snippet();
  auto answer = p.Start(request);
  ASSERT_TRUE(p.world->Await([](const Facts& facts) { return facts.alive.size() == 3; }));
  p.provider.reset();
  const Answer ended = answer.get();
  ASSERT_NE(base::FaultIn(ended), nullptr);
  EXPECT_EQ(base::FaultIn(ended)->kind, base::FaultKind::kInternal);
  EXPECT_TRUE(p.world->facts.Lock()->alive.empty());
}

// Who gave the slots may be gone once a drain has passed.
TEST(DockerProvider, DrainPassesOnlyWhenEverySlotIsBack) {
  Provided p;
  p.Prove();
  std::atomic<bool> is_back = false;
  base::Cleanup slots([&] {
    std::this_thread::sleep_for(milliseconds(200));
    is_back = true;
  });
  const auto request = Snippet();
  EXPECT_TRUE(p.Start(request, {}, &slots).get());
  EXPECT_TRUE(p.provider->Drain(steady_clock::now() + seconds(10)));
  EXPECT_TRUE(is_back);
}

TEST(DockerProvider, DrainTakesNoMoreWaitsForTheRestAndSaysWhenTimeIsOver) {
  Provided p({.run_pool = 2});
  p.Prove();
  ASSERT_TRUE(p.world->Await([](const Facts& facts) { return facts.alive.size() == 2; }));
  p.world->Set([](Facts& facts) { facts.hold_runs = true; });
  const auto request = Snippet();
  auto answer = p.Start(request);
  const auto late = p.provider->Drain(steady_clock::now() + milliseconds(50));
  ASSERT_NE(base::FaultIn(late), nullptr);
  EXPECT_EQ(base::FaultIn(late)->kind, base::FaultKind::kDeadline);
  EXPECT_EQ(p.RuleOf(request), base::Rule::kUnavailable);
  p.world->Set([](Facts& facts) { facts.hold_runs = false; });
  EXPECT_TRUE(answer.get());
  EXPECT_TRUE(p.provider->Drain(steady_clock::now() + seconds(10)));
  EXPECT_TRUE(p.world->facts.Lock()->alive.empty());
}

TEST(DockerProvider, P71_NothingOfACallerReachesTheLog) {
  Provided p;
  p.Prove();
  run::Project project;
  project.steps = {"secret step"};
  project.files = {{.path = "secret-name", .content = "secret content"}};
  const auto request = Validated(std::move(project));
  EXPECT_TRUE(p.Run(request));
  p.world->Set([](Facts& facts) { facts.break_launches = true; });
  EXPECT_FALSE(p.Run(request));
  p.world->Set([](Facts& facts) { facts.break_launches = false; });
  EXPECT_FALSE(p.log.Contains("secret"));
}

}  // namespace
}  // namespace plimsoll::docker
