#include "providers/docker/provider.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <future>

#include "providers/docker/testing/live_test.h"

// The provider as a daemon makes it: real preflight, real battery, real pool.
namespace plimsoll::docker {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

class WholeProvider : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Under, WholeProvider, UnderBothRuntimes(), NameOfRuntime);

TEST_P(WholeProvider, ProvesItselfThenRunsAndDrains) {
  Settings settings = LiveSettings(GetParam());
  const char* host = std::getenv("PLIMSOLL_TEST_DOCKER_HOST");  // NOLINT(concurrency-mt-unsafe): nothing sets one
  ASSERT_NE(host, nullptr) << "set PLIMSOLL_TEST_DOCKER_HOST to unix:// and the socket of a running engine";
  settings.docker_host = host;
  settings.run_pool = 2;
  const os::SystemClock clock;
  os::SystemRandom random;
  testkit::CaptureLog log;
  auto made = Provider::Create(settings, clock, random, log);
  ASSERT_TRUE(made) << base::TextOf(made.error());
  Provider& provider = **made;
  const auto deadline = steady_clock::now() + seconds(110);

  const auto request = SnippetRequest("console.log(1)");
  const auto run = [&] {
    std::promise<base::Result<run::Report>> answer;
    provider.Run({.request = request, .principal = "test", .stop = {}},
                 [&](base::Result<run::Report> report) { answer.set_value(std::move(report)); });
    return answer.get_future().get();
  };
  const auto early = run();
  ASSERT_NE(base::RefusalIn(early), nullptr);
  EXPECT_EQ(base::RefusalIn(early)->rule, base::Rule::kNotProven);

  const auto ready = provider.Preflight(deadline);
  ASSERT_TRUE(ready) << base::TextOf(ready.error());
  const auto proof = provider.SmokeTest(deadline);
  ASSERT_TRUE(proof) << base::TextOf(proof.error());
  EXPECT_NE(provider.Probes(), nullptr);
  EXPECT_EQ(provider.Offer().javascript->languages, std::vector<std::string>{"javascript"});
  EXPECT_EQ(provider.Offer().project->languages, (std::vector<std::string>{"javascript", "python"}));
  EXPECT_EQ(provider.Offer().javascript->identity.substr(0, 20), "docker-image:sha256:");

  const auto report = run();
  ASSERT_TRUE(report) << base::TextOf(report.error());
  EXPECT_EQ(std::get<run::JavaScriptResult>(report->result).stdout_bytes, "1\n");
  EXPECT_EQ(report->environment, provider.Offer().javascript->identity);
  EXPECT_EQ(report->tier, provider.Tier());
  const auto drained = provider.Drain(steady_clock::now() + seconds(30));
  EXPECT_TRUE(drained) << base::TextOf(drained.error());
  EXPECT_EQ(provider.CountPool().shares, 0U);
  EXPECT_NE(base::RefusalIn(run()), nullptr);
}

}  // namespace
}  // namespace plimsoll::docker
