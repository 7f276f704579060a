#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include "providers/docker/testing/live_test.h"

// Runs from the pool, on a real engine, under each runtime.
namespace plimsoll::docker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Pool : public LiveTest {
 protected:
  docker::Settings Settings() const override {
    docker::Settings settings = LiveSettings(GetParam());
    settings.run_pool = 3;
    return settings;
  }
};
INSTANTIATE_TEST_SUITE_P(Under, Pool, UnderBothRuntimes(), NameOfRuntime);

// What a guest can see of its sandbox, without what is different in every one.
constexpr const char* kLook =
    "const fs = require('fs'), os = require('os');"
    "const ls = d => fs.readdirSync(d).filter(n => !/^\\d+$/.test(n)).sort();"
    "const env = { ...process.env }; env.HOSTNAME = env.HOSTNAME.length;"
    "const pids = fs.readdirSync('/proc').filter(n => /^\\d+$/.test(n)).length;"
    "const status = fs.readFileSync('/proc/self/status', 'utf8').split('\\n')"
    "  .filter(l => /^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp|PPid)/.test(l));"
    "console.log(JSON.stringify({ env, argv: process.argv, cwd: process.cwd(), fds: ls('/proc/self/fd').length, pids, "
    "status,"
    "  tmp: ls('/tmp'), shm: ls('/dev/shm'), root: ls('/'), mounts: fs.readFileSync('/proc/mounts', "
    "'utf8').split('\\n')"
    "  .filter(l => / (\\/tmp|\\/dev\\/shm|\\/work|\\/etc\\/resolv.conf) /.test(l)).map(l => l.split(' ').slice(1)),"
    "  host: os.hostname().length }))";

TEST_P(Pool, P69_AClaimedRunEqualsAColdOneAndItsMemberIsGoneAfterwards) {
  LiveProvider cold(LiveSettings(GetParam()));
  ASSERT_TRUE(cold.ok());
  ASSERT_TRUE(live().AwaitPool(Role::kSnippet, 2));
  const std::vector<std::string> before = live().Containers();
  auto warm_report = live().Run(SnippetRequest(kLook));
  auto cold_report = cold.Run(SnippetRequest(kLook));
  ASSERT_TRUE(warm_report) << base::TextOf(warm_report.error());
  ASSERT_TRUE(cold_report) << base::TextOf(cold_report.error());
  const auto& warm_result = std::get<run::JavaScriptResult>(warm_report->result);
  const auto& cold_result = std::get<run::JavaScriptResult>(cold_report->result);
  EXPECT_EQ(nlohmann::json::parse(warm_result.stdout_bytes), nlohmann::json::parse(cold_result.stdout_bytes));
  EXPECT_EQ(warm_result.stderr_bytes, cold_result.stderr_bytes);
  EXPECT_EQ(warm_result.exit_code, cold_result.exit_code);
  EXPECT_EQ(warm_result.ending, cold_result.ending);
  EXPECT_EQ(warm_report->provider, cold_report->provider);
  EXPECT_EQ(warm_report->tier, cold_report->tier);
  EXPECT_EQ(warm_report->environment, cold_report->environment);
  EXPECT_EQ(warm_report->software_identity, cold_report->software_identity);
  EXPECT_EQ(warm_report->instance, cold_report->instance);
  // Exactly one of those that waited was used, and it is gone.
  const auto used = [&] {
    const auto now = live().Containers();
    return std::ranges::count_if(before,
                                 [&](const std::string& name) { return std::ranges::find(now, name) == now.end(); });
  };
  for (int i = 0; i < 100 && used() == 0; ++i) {
    std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_EQ(used(), 1);
}

TEST_P(Pool, RunsOfThePoolAreQuickAndItFillsAgain) {
  ASSERT_TRUE(live().AwaitPool(Role::kSnippet, 2));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(live().Snippet("console.log(process.pid > 0)").stdout_bytes, "true\n");
  }
  EXPECT_TRUE(live().AwaitPool(Role::kSnippet, 2));
  run::Project project;
  project.steps = {"echo a", "echo b"};
  ASSERT_TRUE(live().AwaitPool(Role::kProject, 1));
  EXPECT_EQ(live().Project(project).steps.size(), 2U);
  EXPECT_TRUE(live().AwaitPool(Role::kProject, 1));
}

TEST_P(Pool, XD8_AMemberThatWasKilledOutsideIsNotUsed) {
  ASSERT_TRUE(live().AwaitPool(Role::kSnippet, 2));
  for (const std::string& name : live().Containers()) {
    static_cast<void>(live().engine().Remove(name, {.deadline = std::chrono::steady_clock::now() + seconds(10)}));
  }
  EXPECT_EQ(live().Snippet("console.log('cold')").stdout_bytes, "cold\n");
  EXPECT_GE(live().provider().CountPool().dead, 1U);
}

TEST_P(Pool, MembersOfAStateThatIsNoLongerAreRemoved) {
  ASSERT_TRUE(live().AwaitPool(Role::kSnippet, 2));
  const auto before = live().Containers();
  auto changed = std::make_shared<State>(*live().state());
  changed->images[Role::kSnippet].environment.push_back("ADDED=1");
  live().preflight().SetState(changed);
  EXPECT_EQ(live().Snippet("console.log(process.env.ADDED)").stdout_bytes, "1\n");
  ASSERT_TRUE(live().AwaitPool(Role::kSnippet, 2));
  EXPECT_EQ(live().Snippet("console.log(process.env.ADDED)").stdout_bytes, "1\n");
}

TEST_P(Pool, P39_ALoopInAMemberEndsAtItsTimeToo) {
  ASSERT_TRUE(live().AwaitPool(Role::kSnippet, 2));
  const auto begin = std::chrono::steady_clock::now();
  const auto result = live().Snippet("console.log('before'); for (;;) {}", seconds(2));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(3));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.stdout_bytes, "before\n");
}

}  // namespace
}  // namespace plimsoll::docker
