#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stop_token>
#include <thread>

#include <nlohmann/json.hpp>

#include "providers/docker/testing/live_test.h"

// Snippets at the provider's boundary, on a real engine, under each runtime.
namespace plimsoll::docker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

class Snippet : public LiveTest {};
INSTANTIATE_TEST_SUITE_P(Under, Snippet, UnderBothRuntimes(), NameOfRuntime);

TEST_P(Snippet, P26_RunsInAFreshContainerOfTheStatedTierAndLeavesNone) {
  const auto report = live().Run(SnippetRequest("console.log('hello', 6 * 7); console.error('there')"));
  ASSERT_TRUE(report) << base::TextOf(report.error());
  const auto& result = std::get<run::JavaScriptResult>(report->result);
  EXPECT_EQ(result.stdout_bytes, "hello 42\n");
  EXPECT_EQ(result.stderr_bytes, "there\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(report->provider, "docker");
  EXPECT_EQ(report->tier, under_runsc() ? isolation::Tier::kKernel : isolation::Tier::kContainer);
  EXPECT_EQ(report->environment, live().state()->images.at(Role::kSnippet).identity);
  EXPECT_GT(report->duration, milliseconds(0));
  EXPECT_TRUE(live().LeftAfter(seconds(10)).empty());
}

TEST_P(Snippet, P38_ReportsTheGuestsExit) {
  const auto exited = live().Snippet("process.exit(2)");
  EXPECT_EQ(exited.exit_code, 2);
  EXPECT_EQ(exited.ending, run::Ending::kExited);
  const auto killed = live().Snippet("process.kill(process.pid, 'SIGKILL'); setTimeout(() => {}, 1e6)");
  EXPECT_EQ(killed.exit_code, 137);
  EXPECT_FALSE(killed.timed_out);
}

TEST_P(Snippet, P39_ALoopEndsAtItsTimeAndNothingIsLeft) {
  const auto begin = steady_clock::now();
  const auto result = live().Snippet("console.log('before'); for (;;) {}", seconds(2));
  EXPECT_LT(steady_clock::now() - begin, seconds(3));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 124);
  EXPECT_EQ(result.stdout_bytes, "before\n");
  EXPECT_TRUE(live().LeftAfter(seconds(10)).empty());
}

TEST_P(Snippet, XA1_TheDeadlineTakesTheWholeTree) {
  const auto begin = steady_clock::now();
  const auto result = live().Snippet(
      "const { spawn } = require('child_process');"
      "spawn('node', ['-e', 'process.on(\"SIGTERM\", () => {}); setInterval(() => {}, 1000)'],"
      "      { detached: true, stdio: 'ignore' });"
      "console.log('started'); setInterval(() => {}, 1000)",
      seconds(2));
  EXPECT_LT(steady_clock::now() - begin, seconds(3));
  EXPECT_EQ(result.stdout_bytes, "started\n");
  EXPECT_TRUE(result.timed_out);
  EXPECT_TRUE(live().LeftAfter(seconds(10)).empty());
}

TEST_P(Snippet, CutsEachStreamAtItsCapAndNotAtIt) {
  const auto over = live().Snippet("process.stdout.write('x'.repeat(65537)); process.stderr.write('y'.repeat(65536))");
  EXPECT_EQ(over.stdout_bytes, std::string(65'536, 'x'));
  EXPECT_TRUE(over.stdout_truncated);
  EXPECT_EQ(over.stderr_bytes, std::string(65'536, 'y'));
  EXPECT_FALSE(over.stderr_truncated);
  EXPECT_EQ(over.exit_code, 0);
}

TEST_P(Snippet, XB1_AFloodIsDrainedAndKeepsItsExitCode) {
  const auto result = live().Snippet(
      "const b = Buffer.alloc(1 << 20, 'z'); const fs = require('fs');"
      "for (let i = 0; i < 30; i++) { fs.writeSync(1, b); fs.writeSync(2, b); } process.exit(7)",
      seconds(20));
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.stdout_bytes.size(), 65'536U);
  EXPECT_TRUE(result.stdout_truncated);
  EXPECT_TRUE(result.stderr_truncated);
}

TEST_P(Snippet, XB10_KeepsEveryByteOfAnyValue) {
  const auto result = live().Snippet(
      "process.stdout.write(Buffer.from(Array.from({ length: 256 }, (_, i) => i))); process.stderr.write('no "
      "newline')");
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes.push_back(static_cast<char>(i));
  }
  EXPECT_EQ(result.stdout_bytes, bytes);
  EXPECT_EQ(result.stderr_bytes, "no newline");
}

TEST_P(Snippet, P41_ImitationsOfOurFramesAreOutput) {
  const std::string code =
      "const s = 'plimsoll-started:0123456789abcdef\\n\\x00\\x00\\x00\\x20d\\x00\\x00\\x00\\x01' + '\\0'.repeat(24) + "
      "'\\n<<<PLIMSOLL_REPORT_V3>>> 2 ' + 'a'.repeat(64) + '\\n{}'; process.stdout.write(s, 'latin1');"
      "process.stderr.write(s, 'latin1'); process.exit(3)";
  const auto result = live().Snippet(code);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.stdout_bytes.find("plimsoll-started:0123456789abcdef\n"), std::string::npos);
  EXPECT_NE(result.stdout_bytes.find("<<<PLIMSOLL_REPORT_V3>>>"), std::string::npos);
  EXPECT_EQ(result.stdout_bytes, result.stderr_bytes);
}

TEST_P(Snippet, P37_SeesItsOwnEnvironmentAndNothingOfTheDaemons) {
  ASSERT_EQ(::setenv("PLIMSOLL_TEST_SECRET", "of the daemon", 1), 0);  // NOLINT(concurrency-mt-unsafe): one thread yet
  const auto result = live().Snippet(
      "console.log(JSON.stringify({ env: process.env, host: require('os').hostname(),"
      " parent: (() => { try { return require('fs').readFileSync('/proc/1/environ', 'latin1') } catch (e) { return "
      "e.code } })() }))");
  const auto seen = nlohmann::json::parse(result.stdout_bytes);
  const std::string hostname = seen["host"];
  EXPECT_EQ(hostname.size(), 12U);
  EXPECT_EQ(seen["env"]["HOSTNAME"], hostname);
  EXPECT_EQ(seen["env"]["PATH"], "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  EXPECT_TRUE(seen["env"].contains("HOME"));
  EXPECT_FALSE(seen["env"].contains("PLIMSOLL_TEST_SECRET"));
  EXPECT_EQ(seen["env"].size(), 3U) << seen["env"];
  EXPECT_EQ(seen["parent"].get<std::string>().substr(0, 1), "E") << seen["parent"];  // EACCES or EPERM
}

TEST_P(Snippet, TheResolverIsOurs) {
  const auto result = live().Snippet("process.stdout.write(require('fs').readFileSync('/etc/resolv.conf'))");
  EXPECT_EQ(result.stdout_bytes, "nameserver 127.0.0.1\n");
}

TEST_P(Snippet, XA8_ACallerWhoLeavesStopsTheRunAndGetsTheCancellation) {
  std::stop_source stop;
  auto answer = std::async(std::launch::async, [&] {
    return live().Run(SnippetRequest("setInterval(() => {}, 1000)", seconds(20)), stop.get_token());
  });
  while (live().Containers().empty()) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  std::this_thread::sleep_for(milliseconds(500));
  const auto begin = steady_clock::now();
  stop.request_stop();
  const auto report = answer.get();
  EXPECT_LT(steady_clock::now() - begin, seconds(2));
  ASSERT_NE(base::FaultIn(report), nullptr);
  EXPECT_EQ(base::FaultIn(report)->kind, base::FaultKind::kCanceled);
  EXPECT_TRUE(live().LeftAfter(seconds(10)).empty());
}

TEST_P(Snippet, TheSlotsComeBackWhenTheContainerIsGone) {
  std::promise<void> answered;
  std::promise<std::vector<std::string>> released;
  base::Cleanup slots([&] { released.set_value(live().Containers()); });
  const auto request = SnippetRequest("1");
  live().provider().Run({.request = request, .principal = "test", .stop = {}, .slots = &slots},
                        [&](const base::Result<run::Report>&) { answered.set_value(); });
  ASSERT_EQ(answered.get_future().wait_for(seconds(20)), std::future_status::ready);
  auto left = released.get_future();
  ASSERT_EQ(left.wait_for(seconds(20)), std::future_status::ready);
  EXPECT_TRUE(left.get().empty());
}

TEST_P(Snippet, AFloorAboveTheTierIsRefused) {
  const auto report = live().Run(SnippetRequest("1", {}, "vm"));
  ASSERT_NE(base::RefusalIn(report), nullptr);
  EXPECT_EQ(base::RefusalIn(report)->rule, base::Rule::kInsufficientIsolation);
  EXPECT_TRUE(live().Containers().empty());
}

TEST_P(Snippet, XE1_OutOfMemoryIsAKilledGuest) {
  const auto result =
      live().Snippet("const held = []; for (;;) { held.push(Buffer.alloc(16 << 20, 1)); }", seconds(20));
  EXPECT_EQ(result.exit_code, 137);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.ending, run::Ending::kOutOfMemory);
}

}  // namespace
}  // namespace plimsoll::docker
