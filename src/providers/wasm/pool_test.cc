#include "providers/wasm/pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "os/system_clock.h"
#include "os/system_random.h"
#include "testkit/capture_log.h"

namespace plimsoll::wasm {
namespace {
TEST(X, Y) {
  os::SystemClock clock;
  os::SystemRandom random;
  testkit::CaptureLog log;
  auto pool =
      Pool::Create({.program = {.path = PLIMSOLL_BIN_DIR "/plimsoll-fake-worker", .memory_pages = 256}, .fleet = {}},
                   clock, random, log);
  ASSERT_TRUE(pool);
  std::promise<Outcome> p;
  (*pool)->Run(
      {.code = "echo hello", .principal = "a", .deadline = clock.Steady() + std::chrono::seconds(5), .stop = {}},
      [&](Outcome o) { p.set_value(std::move(o)); });
  auto o = p.get_future().get();
  ASSERT_TRUE(o) << base::TextOf(o.error());
  EXPECT_EQ(o->result.stdout_bytes, "hello");
}
}  // namespace
}  // namespace plimsoll::wasm
