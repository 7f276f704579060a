// Many threads at once, for the sanitizers and for the counts at the end.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "sessions/sessions_for_test.h"

namespace plimsoll::sessions::test {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

// One caller's random life: opens, calls, leaves, closes. Its chain must hold whatever others do.
void Live(Fixture& fixture, unsigned seed) {
  std::mt19937 random(seed);
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  for (int round = 0; round < 20; ++round) {
    const std::string owner = one_in(2) ? "o" + std::to_string(random() % 2) : "";
    const auto opened = fixture.Open({.open = {.lifetime_ms = one_in(4) ? 3U : 0U, .owner = owner}}).Get();
    if (!opened) {
      EXPECT_EQ(RuleOf(opened), base::Rule::kAtCapacity);
      continue;
    }
    records::Chain chain(opened->fingerprint);
    for (auto calls = random() % 6; calls > 0; --calls) {
      std::stop_source caller;
      auto call = fixture.Call(opened->session_id, "1", {.gone = caller.get_token()});
      if (one_in(3)) {
        caller.request_stop();
      }
      const Called called = call.Get();
      if (called.concluded.answer || called.concluded.unanswered) {
        EXPECT_EQ(chain.BreakAt(RecordOf(called)), "");
        chain.Advance(RecordOf(called));
      }
    }
    if (one_in(2)) {
      const auto closed = fixture.Close(opened->session_id).Get();
      ASSERT_TRUE(closed);
      EXPECT_EQ(closed->calls, chain.calls());
      EXPECT_EQ(closed->last_record_sha256, chain.last_sha256());
    }
  }
}

TEST(Race, NothingIsLeftAndEveryChainHolds) {
  Fixture fixture({.caps = {.max = 24, .per_caller = 24, .per_owner = 2}, .lifetime = 1h, .idle = 2ms});
  {
    std::vector<std::jthread> callers;
    for (unsigned i = 0; i < 8; ++i) {
      callers.emplace_back([&fixture, i] { Live(fixture, i); });
    }
  }
  EXPECT_TRUE(fixture.sessions.Drain(Soon()));
  EXPECT_EQ(fixture.slots_taken(), 0);
  for (const auto& sandbox : fixture.provider.Sandboxes()) {
    EXPECT_TRUE(sandbox->gone());
  }
}

}  // namespace
}  // namespace plimsoll::sessions::test
