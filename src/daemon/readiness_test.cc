#include "daemon/readiness.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "daemon/background.h"
#include "testkit/capture_log.h"

namespace plimsoll::daemon {
namespace {

// A clock that a test sets.
class HandClock final : public base::Clock {
 public:
  base::WallTime Wall() const override { return {}; }
  base::SteadyTime Steady() const override { return base::SteadyTime(now.load()); }
  std::atomic<std::chrono::seconds> now{std::chrono::seconds(1000)};
};

class CountingLog final : public base::LogSink {
 public:
  void Write(base::Severity /*severity*/, std::string_view /*message*/,
             std::span<const base::LogField> /*fields*/) override {
    ++lines;
  }
  std::atomic<int> lines = 0;
};

// A provider whose preflight says what the test wants.
class PreflightOnly final : public provider::Provider {
 public:
  const isolation::Profile& Offer() const override { return profile_; }
  isolation::StatedTier Tier() const override { return tier; }
  base::Status Preflight(base::SteadyTime /*deadline*/) override {
    ++preflights;
    calls += "preflight ";
    if (gate.valid()) {
      gate.wait();
    }
    return fit ? base::Ok() : base::Status(base::Fault{base::FaultKind::kUnavailable, "engine gone"});
  }
  base::Status SmokeTest(base::SteadyTime /*deadline*/) override { return base::Ok(); }
  void Run(provider::Order /*order*/, provider::RunDone /*done*/) override {}
  base::Status Drain(base::SteadyTime /*deadline*/) override { return base::Ok(); }
  base::Result<std::size_t> ReapOrphans(base::SteadyTime deadline) override {
    calls += "reap ";
    reap_deadline = deadline;
    ++reaps;
    return orphans;
  }

  std::string calls;  // in order; of tests that call from one thread
  base::Result<std::size_t> orphans = std::size_t{0};
  base::SteadyTime reap_deadline{};
  std::atomic<bool> fit = true;
  std::atomic<int> preflights = 0;
  std::atomic<int> reaps = 0;
  isolation::StatedTier tier = isolation::Tier::kProcess;
  std::shared_future<void> gate;  // set before any preflight; each waits for it

 private:
  isolation::Profile profile_;
};

Ready AnswerOf(Readiness& readiness) {
  std::promise<Ready> promise;
  auto answer = promise.get_future();
  readiness.Ask([&promise](Ready ready) { promise.set_value(ready); });
  return answer.get();
}

TEST(Readiness, AnswersByAPreflightOfItsOwn) {
  HandClock clock;
  CountingLog log;
  PreflightOnly provider;
  Readiness readiness(provider, clock, log);
  EXPECT_EQ(AnswerOf(readiness), Ready::kYes);
  provider.fit = false;
  EXPECT_EQ(AnswerOf(readiness), Ready::kNo);
  EXPECT_EQ(provider.preflights, 2);
}

TEST(Readiness, D48_LogsTheCauseAtMostOnceIn30Seconds) {
  HandClock clock;
  CountingLog log;
  PreflightOnly provider;
  provider.fit = false;
  Readiness readiness(provider, clock, log);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(AnswerOf(readiness), Ready::kNo);
  }
  EXPECT_EQ(log.lines, 1);
  clock.now = std::chrono::seconds(1030);
  AnswerOf(readiness);
  EXPECT_EQ(log.lines, 2);
}

TEST(Readiness, AnswersManyQuestionsByOnePreflightAndRefusesMoreThanItHolds) {
  HandClock clock;
  CountingLog log;
  PreflightOnly provider;
  std::promise<void> open;
  provider.gate = open.get_future().share();
  std::atomic<int> yes = 0;
  std::atomic<int> no = 0;
  const auto count = [&](Ready ready) { ++(ready == Ready::kYes ? yes : no); };
  {
    Readiness readiness(provider, clock, log);
    for (std::size_t i = 0; i < 2 * Readiness::kMaxWaiting + 1; ++i) {
      readiness.Ask(count);
    }
    EXPECT_GE(no, 1);
    open.set_value();
    AnswerOf(readiness);
  }
  EXPECT_EQ(yes + no, static_cast<int>(2 * Readiness::kMaxWaiting + 1));
  EXPECT_LE(provider.preflights, 3);
}

TEST(Readiness, SaysNoOnceStopped) {
  HandClock clock;
  CountingLog log;
  PreflightOnly provider;
  Readiness readiness(provider, clock, log);
  readiness.Stop();
  EXPECT_EQ(AnswerOf(readiness), Ready::kNo);
  EXPECT_EQ(provider.preflights, 0);
}

TEST(Background, RenewsAProofThatLapsed) {
  HandClock clock;
  CountingLog log;
  PreflightOnly provider;
  Background background(provider, isolation::Tier::kProcess, clock, log);
  background.Turn();
  EXPECT_EQ(provider.preflights, 0);
  provider.tier.reset();
  background.Turn();
  EXPECT_EQ(provider.preflights, 1);
  EXPECT_EQ(log.lines, 0);
  provider.fit = false;
  background.Turn();
  EXPECT_EQ(log.lines, 1);
}

TEST(Background, TurnsAtOnceWhenItIsStarted) {
  HandClock clock;
  CountingLog log;
  PreflightOnly provider;
  Background background(provider, isolation::Tier::kProcess, clock, log);
  background.Start();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (provider.reaps == 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(provider.reaps, 1);
}

// daemon.md 3, background (b): after the proof was renewed, within its own 30 s, and told only when there is something
// to tell.
TEST(Background, ReapsOrphansAfterRenewingTheProof) {
  HandClock clock;
  testkit::CaptureLog log;
  PreflightOnly provider;
  Background background(provider, isolation::Tier::kProcess, clock, log);
  background.Turn();
  EXPECT_EQ(provider.calls, "reap ");
  EXPECT_EQ(provider.reap_deadline, clock.Steady() + std::chrono::seconds(30));
  EXPECT_TRUE(log.Records().empty());
  provider.tier.reset();
  provider.orphans = std::size_t{3};
  background.Turn();
  EXPECT_EQ(provider.calls, "reap preflight reap ");
  ASSERT_EQ(log.Records().size(), 1U);
  EXPECT_EQ(log.Records()[0].severity, base::Severity::kWarn);
  EXPECT_EQ(log.Records()[0].text, "sandboxes left by a crash were removed count=3");
  EXPECT_EQ(background.orphans_reaped(), 3U);
  provider.orphans = base::Fault{base::FaultKind::kUnavailable, "engine gone"};
  background.Turn();
  ASSERT_EQ(log.Records().size(), 2U);
  EXPECT_EQ(log.Records()[1].text, "sandboxes left by a crash could not be removed error=engine gone");
  EXPECT_EQ(background.orphans_reaped(), 3U);
}

}  // namespace
}  // namespace plimsoll::daemon
