// How a kept sandbox is suspended and how it is taken down.
#include "providers/docker/kept_sandbox.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <utility>
#include <vector>

#include "providers/docker/testing/kept_world.h"

namespace plimsoll::docker {
namespace {

using namespace testing_kept;  // NOLINT(google-build-using-namespace): the world of these tests

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
