#include <gtest/gtest.h>

#include <chrono>

#include "providers/docker/testing/live_provider.h"

// Snippets at the provider's boundary, on a real engine, under each runtime.
namespace plimsoll::docker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

class Snippet : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Under, Snippet, ::testing::Values("runc", "runsc"),
                         [](const auto& param) { return std::string(param.param); });

TEST_P(Snippet, RunsInAFreshContainerAndLeavesNone) {
  LiveProvider live(LiveSettings(GetParam()));
  ASSERT_TRUE(live.ok());
  const auto report = live.Run(SnippetRequest("console.log('hello', 6 * 7); console.error('there')"));
  ASSERT_TRUE(report) << base::TextOf(report.error());
  const auto& result = std::get<run::JavaScriptResult>(report->result);
  EXPECT_EQ(result.stdout_bytes, "hello 42\n");
  EXPECT_EQ(result.stderr_bytes, "there\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(report->provider, "docker");
  EXPECT_TRUE(live.LeftAfter(seconds(10)).empty());
}

}  // namespace
}  // namespace plimsoll::docker
