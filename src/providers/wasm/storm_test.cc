// Workers killed at random while many threads run snippets: every answer is the run's own or a fault, none is lost,
// doubled or another's, and the pool recovers. PLIMSOLL_SOAK_RUNS sets the runs of the whole storm.
#include <gtest/gtest.h>
#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "providers/wasm/testing/pool_harness.h"

namespace plimsoll::wasm {
namespace {

int RunsOfTheStorm() {
  int runs = 1'200;
  if (const char* given = std::getenv("PLIMSOLL_SOAK_RUNS")) {
    const std::string_view text = given;
    std::from_chars(text.data(), text.data() + text.size(), runs);
  }
  return runs;
}

struct Tally {
  std::atomic<int> own = 0;
  std::atomic<int> faults = 0;
  std::atomic<int> refusals = 0;
  std::atomic<int> wrong = 0;
};

void Count(const Outcome& outcome, const std::string& token, Tally& tally) {
  if (base::FaultIn(outcome) != nullptr) {
    ++tally.faults;
  } else if (outcome->result.stdout_bytes == token + "\n" && outcome->result.exit_code == 0) {
    ++tally.own;
  } else {
    ++tally.wrong;
  }
}

// Runs until the run is not refused: a refusal proves that nothing ran, so asking again is safe.
void RunOnce(PoolHarness& harness, const std::string& token, const std::string& principal, Tally& tally) {
  for (;;) {
    const Outcome outcome = harness.Run("console.log('" + token + "')", {.principal = principal});
    if (base::RefusalIn(outcome) == nullptr) {
      Count(outcome, token, tally);
      return;
    }
    ++tally.refusals;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// Kills a random child of this process every few milliseconds, as long as there are some to spare: what never comes up
// opens the breaker, which has tests of its own.
void KillAtRandom(const std::stop_token& stop) {
  constexpr std::size_t kSpared = 4;
  std::mt19937 random(1);
  while (!stop.stop_requested()) {
    const auto children = Children();
    if (children.size() > kSpared) {
      ::kill(children[random() % children.size()], SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(2'000 + random() % 8'000));
  }
}

TEST(Storm, P22_WAS3_EveryAnswerIsTheRunsOwnOrAFaultAndThePoolRecovers) {
  constexpr int kThreads = 6;
  const int runs_each = std::max(1, RunsOfTheStorm() / kThreads);
  const std::size_t descriptors = OpenDescriptors();
  Tally tally;
  {
    PoolHarness harness(RealWorker(), {.fresh_target = 2, .idle_limit = 8});
    {
      std::jthread killer([](const std::stop_token& stop) { KillAtRandom(stop); });
      std::vector<std::jthread> callers;
      for (int thread = 0; thread < kThreads; ++thread) {
        callers.emplace_back([&, thread] {
          for (int i = 0; i < runs_each; ++i) {
            const std::string token = "token-" + std::to_string(thread) + "-" + std::to_string(i);
            // Threads share callers in pairs, so that workers are both reused and kept apart.
            RunOnce(harness, token, std::to_string(thread / 2), tally);
          }
        });
      }
      callers.clear();
    }
    EXPECT_TRUE(Eventually([&] { return harness.Run("console.log(1)").has_value(); }));
    std::printf("storm: %d own, %d faults, %d refusals\n", tally.own.load(), tally.faults.load(),
                tally.refusals.load());
  }
  EXPECT_EQ(tally.own + tally.faults + tally.wrong, kThreads * runs_each);
  EXPECT_EQ(tally.wrong, 0);
  EXPECT_GT(tally.own, kThreads * runs_each / 2);
  EXPECT_TRUE(Children().empty());
  EXPECT_EQ(OpenDescriptors(), descriptors);
}

}  // namespace
}  // namespace plimsoll::wasm
