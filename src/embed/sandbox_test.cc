#include "plimsoll/sandbox.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace plimsoll {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

Sandbox MustOpen(Options options = {}) {
  options.libexec = PLIMSOLL_BIN_DIR;
  auto opened = Sandbox::Open(options);
  if (const auto* error = std::get_if<StartError>(&opened)) {
    ADD_FAILURE() << error->message;
  }
  return std::get<Sandbox>(std::move(opened));
}

std::string WhyNot(const Options& options) {
  auto opened = Sandbox::Open(options);
  const auto* error = std::get_if<StartError>(&opened);
  return error == nullptr ? std::string() : error->message;
}

TEST(Sandbox, RunsASnippetAndStatesItsWall) {
  Sandbox sandbox = MustOpen();
  EXPECT_EQ(sandbox.provider(), "wasm");
  EXPECT_EQ(sandbox.isolation(), "process");
  EXPECT_EQ(sandbox.environment().rfind("quickjs-wasm:sha256:", 0), 0U);
  EXPECT_EQ(sandbox.max_timeout(), 30s);
  const RunOutcome outcome = sandbox.RunJavaScript("console.log(6 * 7)");
  const auto* run = std::get_if<RunResult>(&outcome);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->stdout_bytes, "42\n");
  EXPECT_EQ(run->exit_code, 0);
  EXPECT_EQ(run->isolation, "process");
  EXPECT_EQ(run->record.version, 4U);
  EXPECT_EQ(run->record.isolation, run->isolation);
  EXPECT_EQ(run->record.environment, run->environment);
  EXPECT_EQ(run->record.record_sha256.size(), 64U);
  EXPECT_GE(run->record.ended_unix_ms, run->record.started_unix_ms);
}

TEST(Sandbox, ShowsWhatItsProofTried) {
  const Sandbox sandbox = MustOpen();
  const auto report = sandbox.probes();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->isolation, "process");
  EXPECT_EQ(report->sha256.size(), 64U);
  ASSERT_EQ(report->probes.size(), 4U);
  EXPECT_EQ(report->probes[0].probe, "snippet/deadline-builtin");
  EXPECT_EQ(report->probes[0].outcome, "pass");
  EXPECT_EQ(sandbox.project_environment(), "");
  EXPECT_FALSE(MustOpen({.provider = ""}).probes());
}

TEST(Sandbox, NamesTheBoundOfAMemoryTooSmallForTheEngine) {
  EXPECT_EQ(WhyNot({.memory_mb = 15}), "memory_mb: 15 is below 16, the least in which the wasm engine runs");
  EXPECT_EQ(WhyNot({.memory_mb = 16}), "");
}

TEST(Sandbox, RefusesARunBelowItsFloorInTheWordsOfTheProtocol) {
  Sandbox sandbox = MustOpen();
  const RunOutcome outcome = sandbox.RunJavaScript("1", {.minimum_isolation = "kernel"});
  const auto* refusal = std::get_if<Refusal>(&outcome);
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->reason, "isolation");
  EXPECT_EQ(refusal->message,
            "sandbox isolation requirement not met: provider isolation process is below requested minimum kernel");
}

TEST(Sandbox, RefusesEmptyCodeAsTheWireDoes) {
  Sandbox sandbox = MustOpen();
  const RunOutcome outcome = sandbox.RunJavaScript("");
  const auto* refusal = std::get_if<Refusal>(&outcome);
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->reason, "request");
}

TEST(Sandbox, P19_RefusesAProjectOnWasmInTheOrderOfTheWire) {
  Sandbox sandbox = MustOpen();
  const auto reason = [&sandbox](const Project& project, const RunOptions& options) {
    const ProjectOutcome outcome = sandbox.RunProject(project, options);
    const auto* refusal = std::get_if<Refusal>(&outcome);
    return refusal == nullptr ? std::string("none") : refusal->reason;
  };
  const Project good{.files = {{"a/b.txt", "x"}}, .steps = {"true"}, .artifacts = {"a/b.txt"}};
  EXPECT_EQ(reason(good, {}), "unsupported");
  EXPECT_EQ(reason(good, {.minimum_isolation = "vm"}), "isolation");
  EXPECT_EQ(reason({.files = {{"../b", "x"}}, .steps = {"true"}}, {}), "request");
  EXPECT_EQ(reason({.files = {{"a", "x"}}}, {}), "request");
}

TEST(Sandbox, ADeadlineIsAResult) {
  Sandbox sandbox = MustOpen();
  const RunOutcome outcome = sandbox.RunJavaScript("console.log('before'); for (;;);", {.timeout = 200ms});
  const auto* run = std::get_if<RunResult>(&outcome);
  ASSERT_NE(run, nullptr);
  EXPECT_TRUE(run->timed_out);
  EXPECT_EQ(run->exit_code, 124);
  EXPECT_EQ(run->stdout_bytes, "before\n");
}

TEST(Sandbox, StopsWhenAskedAndSaysThatItMayHaveRun) {
  Sandbox sandbox = MustOpen();
  std::stop_source stop;
  std::jthread asks([&stop] {
    std::this_thread::sleep_for(100ms);
    stop.request_stop();
  });
  const RunOutcome outcome = sandbox.RunJavaScript("for (;;);", {.timeout = 20s, .stop = stop.get_token()});
  EXPECT_TRUE(std::holds_alternative<Fault>(outcome));
}

TEST(Sandbox, ServesSeveralThreads) {
  Sandbox sandbox = MustOpen({.max_concurrent = 4});
  std::vector<std::string> printed(4);
  {
    std::vector<std::jthread> callers;
    for (std::size_t i = 0; i < printed.size(); ++i) {
      callers.emplace_back([&, i] {
        const RunOutcome outcome = sandbox.RunJavaScript("console.log(" + std::to_string(i) + ")");
        if (const auto* run = std::get_if<RunResult>(&outcome)) {
          printed[i] = run->stdout_bytes;
        }
      });
    }
  }
  EXPECT_EQ(printed, (std::vector<std::string>{"0\n", "1\n", "2\n", "3\n"}));
}

TEST(Sandbox, WithoutAProviderEveryRunIsRefused) {
  Sandbox sandbox = MustOpen({.provider = ""});
  const RunOutcome outcome = sandbox.RunJavaScript("1");
  const auto* refusal = std::get_if<Refusal>(&outcome);
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->reason, "unsupported");
  EXPECT_EQ(refusal->message, "code execution is disabled");
}

TEST(Sandbox, DoesNotOpenBelowTheFloorOrWithOptionsThatMeanNothing) {
  EXPECT_NE(WhyNot({.minimum_isolation = "kernel", .libexec = PLIMSOLL_BIN_DIR}).find("below"), std::string::npos);
  EXPECT_NE(WhyNot({.minimum_isolation = "strong", .libexec = PLIMSOLL_BIN_DIR}), "");
  EXPECT_NE(WhyNot({.provider = "systemd"}).find("wasm and docker"), std::string::npos);
  EXPECT_NE(WhyNot({.provider = "docker", .libexec = "/nonexistent"}).find("/nonexistent/plimsoll-guest"),
            std::string::npos);
  EXPECT_NE(WhyNot({.docker = {.run_pool = 65}}).find("0 to 64"), std::string::npos);
  EXPECT_NE(WhyNot({.max_concurrent = 0}).find("1 to 1024"), std::string::npos);
  EXPECT_NE(WhyNot({.libexec = "/nonexistent"}).find("/nonexistent"), std::string::npos);
}

TEST(Sandbox, ReadsTheDaemonsVariablesByTheDaemonsRules) {
  ::setenv("SANDBOX_PROVIDER", " WASM ", 1);
  ::setenv("SANDBOX_MEMORY_MB", "-1", 1);
  ::setenv("PLIMSOLL_LIBEXEC", PLIMSOLL_BIN_DIR, 1);
  auto bad = Sandbox::FromEnvironment();
  ASSERT_TRUE(std::holds_alternative<StartError>(bad));
  EXPECT_EQ(std::get<StartError>(bad).message.rfind("SANDBOX_MEMORY_MB", 0), 0U) << std::get<StartError>(bad).message;
  ::setenv("SANDBOX_MEMORY_MB", "64", 1);
  auto good = Sandbox::FromEnvironment();
  ASSERT_TRUE(std::holds_alternative<Sandbox>(good));
  EXPECT_EQ(std::get<Sandbox>(good).provider(), "wasm");
  // A limit that wasm cannot enforce must not look applied.
  ::setenv("SANDBOX_PIDS", "10", 1);
  auto unenforced = Sandbox::FromEnvironment();
  ASSERT_TRUE(std::holds_alternative<StartError>(unenforced));
  EXPECT_EQ(std::get<StartError>(unenforced).message.rfind("SANDBOX_PIDS", 0), 0U);
  ::unsetenv("SANDBOX_PIDS");
  ::unsetenv("SANDBOX_PROVIDER");
  auto unset = Sandbox::FromEnvironment("wasm");
  ASSERT_TRUE(std::holds_alternative<Sandbox>(unset));
  EXPECT_EQ(std::get<Sandbox>(unset).provider(), "wasm");
  auto disabled = Sandbox::FromEnvironment();
  ASSERT_TRUE(std::holds_alternative<Sandbox>(disabled));
  EXPECT_EQ(std::get<Sandbox>(disabled).provider(), "disabled");
  ::unsetenv("SANDBOX_MEMORY_MB");
  ::unsetenv("PLIMSOLL_LIBEXEC");
}

}  // namespace
}  // namespace plimsoll
