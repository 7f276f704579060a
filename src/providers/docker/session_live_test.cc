#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "providers/docker/engine/testing/live_engine.h"
#include "providers/docker/testing/live_session.h"
#include "providers/docker/testing/live_test.h"

// Kept sandboxes at the provider's boundary, on a real engine, under each runtime: what holds across calls and what
// does not.
namespace plimsoll::docker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

class Session : public LiveTest {
 protected:
  docker::Settings Settings() const override {
    auto settings = LiveSettings(GetParam());
    settings.sessions = docker::Settings::Sessions::kOn;
    return settings;
  }
};
INSTANTIATE_TEST_SUITE_P(Under, Session, UnderBothRuntimes(), NameOfRuntime);

// Prints the arguments of every process but the first and itself.
constexpr const char* kListOthers =
    "for p in /proc/[0-9]*; do n=${p#/proc/}; [ $n = 1 ] || [ $n = $$ ] || tr '\\0' ' ' < $p/cmdline; done "
    "2>/dev/null; "
    "true";

TEST_P(Session, S25_FilesHoldAcrossCallsOfEveryKind) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session.Snippet("require('fs').writeFileSync('/tmp/a', 'of a snippet')").exit_code, 0);
  run::Project project;
  project.files = {{.path = "in/b.txt", .content = "of a project"}};
  project.steps = {"cp in/b.txt b.txt"};
  project.artifacts = {"b.txt"};
  const auto made = session.Project(std::move(project));
  ASSERT_EQ(made.artifacts.size(), 1U);
  EXPECT_EQ(made.artifacts[0].content, "of a project");
  // A snippet works in the same directory.
  const auto read = session.Snippet(
      "const fs = require('fs'); console.log(process.cwd(), fs.readFileSync('/tmp/a', 'utf8'), "
      "fs.readFileSync('b.txt', "
      "'utf8')); fs.writeFileSync('/dev/shm/c', 'shared')");
  EXPECT_EQ(read.stdout_bytes, "/work of a snippet of a project\n");
  EXPECT_EQ(session.Shell("cat /tmp/a b.txt /dev/shm/c"), "of a snippetof a projectshared");
}

TEST_P(Session, S26_AnotherSessionSeesNoneOfThem) {
  LiveSession one(live());
  LiveSession other(live());
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NE(one.name(), other.name());
  EXPECT_EQ(one.Shell("echo x | tee /tmp/a /work/b /dev/shm/c"), "x\n");
  EXPECT_EQ(other.Shell("ls -A /tmp /work /dev/shm | grep -v '^/' | tr -d '\\n'"), "");
}

TEST_P(Session, S27_NoProcessOfACallIsThereInTheNext) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(
      session.Shell("(setsid sh -c 'sleep 300 & sleep 301' &); setsid sleep 302 & sleep 303 & sleep 0.3; echo left"),
      "left\n");
  EXPECT_EQ(session.Shell(kListOthers).find("sleep"), std::string::npos);
  EXPECT_EQ(session
                .Snippet("require('child_process').spawn('sleep', ['304'], {detached: true, stdio: 'ignore'}).unref();"
                         "console.log('left')")
                .stdout_bytes,
            "left\n");
  EXPECT_EQ(session.Shell(kListOthers).find("sleep"), std::string::npos);
}

TEST_P(Session, S28_AChildThatHoldsTheOutputDelaysNoAnswer) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  const auto begin = steady_clock::now();
  EXPECT_EQ(session.Shell("sleep 300 & echo over"), "over\n");
  EXPECT_LT(steady_clock::now() - begin, seconds(5));
  EXPECT_EQ(session.Shell(kListOthers).find("sleep"), std::string::npos);
}

TEST_P(Session, S29_AProcessWhoseMainThreadEndedIsGone) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  run::Project project;
  project.files = {{.path = "headless.py", .content = R"(
import ctypes, threading, time
def grow():
    while True:
        with open('/work/grows', 'a') as file:
            file.write('x')
        time.sleep(0.01)
threading.Thread(target=grow).start()
ctypes.CDLL(None).pthread_exit(None)
)"}};
  project.steps = {"python3 headless.py & sleep 1; wc -c < grows"};
  const auto result = session.Project(std::move(project));
  ASSERT_EQ(result.steps.size(), 1U) << result.outcome_detail;
  EXPECT_GT(std::atoi(result.steps[0].stdout_bytes.c_str()), 5) << result.steps[0].stderr_bytes;
  EXPECT_EQ(session.Shell("wc -c < grows > a; sleep 0.5; wc -c < grows > b; cmp a b && echo still"), "still\n");
}

TEST_P(Session, S30_AForkStormIsGoneOrEndsTheSession) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  const auto call = session.Call(SnippetRequest(
      "const { spawn } = require('child_process'); for (let i = 0; i < 4; i++) {"
      "  const child = spawn('sh', ['-c', 'storm() { while :; do storm & done; }; storm'],"
      "                      { detached: true, stdio: 'ignore' }); child.on('error', () => {}); child.unref(); }"
      "setTimeout(() => process.exit(0), 1000)",
      seconds(10)));
  if (call.ended) {
    // Under runsc the limit holds the sandbox's own threads too, and it may not survive that.
    EXPECT_TRUE(under_runsc());
    EXPECT_EQ(call.ended->reason, run::SessionEnd::kMainProcessEnded);
    return;
  }
  EXPECT_TRUE(call.outcome) << base::TextOf(call.outcome.error());
  run::Project project;
  project.steps = {kListOthers};
  const auto next = session.Call(ProjectRequest(std::move(project)));
  if (next.ended) {
    EXPECT_EQ(next.ended->reason, run::SessionEnd::kBoundaryFailed);
    return;
  }
  ASSERT_TRUE(next.outcome) << base::TextOf(next.outcome.error());
  const auto& result = std::get<run::ProjectResult>(next.outcome->result);
  ASSERT_EQ(result.steps.size(), 1U) << result.outcome_detail;
  EXPECT_EQ(result.steps[0].stdout_bytes.find("storm"), std::string::npos);
}

TEST_P(Session, S31_ACallThatTimedOutIsFollowedByOthers) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  const auto begin = steady_clock::now();
  const auto endless = session.Snippet("console.log('before'); for (;;) {}", seconds(2));
  EXPECT_LT(steady_clock::now() - begin, seconds(4));
  EXPECT_TRUE(endless.timed_out);
  EXPECT_EQ(endless.exit_code, 124);
  EXPECT_EQ(endless.stdout_bytes, "before\n");
  run::Project project;
  project.steps = {"sleep 30"};
  const auto slow = session.Project(std::move(project), seconds(1));
  EXPECT_EQ(slow.outcome, run::Outcome::kTimedOut);
  EXPECT_EQ(session.Snippet("console.log('next')").stdout_bytes, "next\n");
}

TEST_P(Session, S32_AnExitCodeIsTheGuestsOwn) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  for (const int code : {0, 3, 124, 137, 255}) {
    const auto snippet = session.Snippet("process.exit(" + std::to_string(code) + ")");
    EXPECT_EQ(snippet.exit_code, code);
    EXPECT_FALSE(snippet.timed_out);
    run::Project project;
    project.steps = {"exit " + std::to_string(code)};
    const auto result = session.Project(std::move(project));
    ASSERT_EQ(result.steps.size(), 1U);
    EXPECT_EQ(result.steps[0].exit_code, code);
    EXPECT_EQ(result.outcome, run::Outcome::kCompleted);
  }
  EXPECT_EQ(session.Snippet("process.kill(process.pid, 'SIGKILL'); setTimeout(() => {}, 1e6)").exit_code, 137);
}

TEST_P(Session, XE1_OutOfMemoryIsAKilledGuestAndNoLaterOneIs) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  const auto call =
      session.Call(SnippetRequest("const held = []; for (;;) { held.push(Buffer.alloc(16 << 20, 1)); }", seconds(20)));
  if (call.ended) {
    EXPECT_TRUE(under_runsc());
    EXPECT_EQ(call.ended->reason, run::SessionEnd::kMainProcessEnded);
    return;
  }
  ASSERT_TRUE(call.outcome) << base::TextOf(call.outcome.error());
  const auto& killed = std::get<run::JavaScriptResult>(call.outcome->result);
  EXPECT_EQ(killed.exit_code, 137);
  EXPECT_EQ(killed.ending, run::Ending::kOutOfMemory);
  const auto own = session.Snippet("process.kill(process.pid, 'SIGKILL'); setTimeout(() => {}, 1e6)");
  EXPECT_EQ(own.exit_code, 137);
  EXPECT_EQ(own.ending, run::Ending::kSignalled);
}

TEST_P(Session, ACallerWhoLeavesEndsTheCallAndNotTheSession) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  std::stop_source stop;
  std::jthread leaver([&] {
    std::this_thread::sleep_for(milliseconds(700));
    stop.request_stop();
  });
  const auto begin = steady_clock::now();
  const auto left = session.Call(SnippetRequest("setInterval(() => {}, 1000)", seconds(20)), stop.get_token());
  EXPECT_LT(steady_clock::now() - begin, seconds(5));
  ASSERT_NE(base::FaultIn(left.outcome), nullptr);
  EXPECT_EQ(base::FaultIn(left.outcome)->kind, base::FaultKind::kCanceled);
  EXPECT_FALSE(left.ended);
  EXPECT_EQ(session.Shell(kListOthers).find("node"), std::string::npos);
  // Of one who is gone before nothing runs.
  const auto never = session.Call(SnippetRequest("console.log(1)"), stop.get_token());
  ASSERT_NE(base::RefusalIn(never.outcome), nullptr);
  EXPECT_EQ(base::RefusalIn(never.outcome)->rule, base::Rule::kCanceled);
  EXPECT_EQ(session.Snippet("console.log('next')").stdout_bytes, "next\n");
}

TEST_P(Session, S38_IsPausedAndResumedWithItsFiles) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session.Shell("echo kept | tee file"), "kept\n");
  ASSERT_TRUE(session.Suspend());
  const auto paused = live().engine().Inspect(session.name(), Within(seconds(10)));
  EXPECT_EQ(std::get<ContainerState>(paused).status, ContainerState::Status::kPaused);
  EXPECT_EQ(session.Shell("cat file"), "kept\n");
  const auto running = live().engine().Inspect(session.name(), Within(seconds(10)));
  EXPECT_EQ(std::get<ContainerState>(running).status, ContainerState::Status::kRunning);
  // One that is paused is removed as well.
  ASSERT_TRUE(session.Suspend());
  EXPECT_TRUE(session.Remove());
  EXPECT_TRUE(live().Containers().empty());
}

TEST_P(Session, S40_ManySuspensionsChangeNoFile) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  constexpr const char* kDigest = "find /work /tmp /dev/shm -type f | sort | xargs sha256sum | sha256sum";
  session.Shell("mkdir -p d/e; head -c 300000 /dev/urandom > d/e/f; date > /tmp/g; echo h > /dev/shm/h");
  const std::string before = session.Shell(kDigest);
  ASSERT_FALSE(before.empty());
  for (int cycle = 0; cycle < 10; ++cycle) {
    ASSERT_TRUE(session.Suspend());
    EXPECT_EQ(session.Shell(kDigest), before);
  }
}

}  // namespace
}  // namespace plimsoll::docker
