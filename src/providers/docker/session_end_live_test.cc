#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "providers/docker/engine/testing/live_engine.h"
#include "providers/docker/reaper.h"
#include "providers/docker/testing/forwarding_engine.h"
#include "providers/docker/testing/live_session.h"
#include "providers/docker/testing/live_test.h"

// Kept sandboxes at the provider's boundary, on a real engine, under each runtime: how they end, and what is told of
// it.
namespace plimsoll::docker {
namespace {

using run::SessionEnd;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

docker::Settings WithSessions(const std::string& runtime) {
  auto settings = LiveSettings(runtime);
  settings.sessions = docker::Settings::Sessions::kOn;
  settings.session_disk_mb = 64;
  return settings;
}

class SessionEnding : public LiveTest {
 protected:
  docker::Settings Settings() const override { return WithSessions(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Under, SessionEnding, UnderBothRuntimes(), NameOfRuntime);

// A call of which nothing ran because the session is over.
void ExpectMarkedEnd(const provider::KeptCall& call, SessionEnd reason) {
  EXPECT_NE(base::RefusalIn(call.outcome), nullptr);
  ASSERT_TRUE(call.ended);
  EXPECT_EQ(call.ended->reason, reason) << call.ended->detail;
}

// A call that may have run when the session ended.
void ExpectUnmarkedEnd(const provider::KeptCall& call, SessionEnd reason) {
  EXPECT_NE(base::FaultIn(call.outcome), nullptr);
  ASSERT_TRUE(call.ended);
  EXPECT_EQ(call.ended->reason, reason) << call.ended->detail;
}

TEST_P(SessionEnding, S33_SignalsToTheFirstProcessDoNothingOrEndIt) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session.Shell("for s in 1 2 3 13 14 15 10 12 17 18 20 21 22 34 64; do kill -$s 1; done; echo alive"),
            "alive\n");
  const auto call = session.Call(SnippetRequest(
      "process.kill(1, 'SIGKILL'); setTimeout(() => { console.log('alive'); process.exit(5) }, 500)", seconds(10)));
  if (call.ended) {
    ExpectUnmarkedEnd(call, SessionEnd::kMainProcessEnded);
    ExpectMarkedEnd(session.Call(SnippetRequest("1")), SessionEnd::kMainProcessEnded);
  } else {
    ASSERT_TRUE(call.outcome) << base::TextOf(call.outcome.error());
    EXPECT_EQ(std::get<run::JavaScriptResult>(call.outcome->result).exit_code, 5);
    EXPECT_EQ(session.Snippet("console.log('next')").stdout_bytes, "next\n");
  }
  EXPECT_EQ(call.ended.has_value(), under_runsc());
}

// Under runsc a guest can stop the agent. Its call ends at its time, and so does the session.
TEST_P(SessionEnding, S33_AStoppedAgentDoesNothingOrEndsIt) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  const auto begin = steady_clock::now();
  const auto call =
      session.Call(SnippetRequest("process.kill(1, 'SIGSTOP'); setTimeout(() => process.exit(5), 500)", seconds(2)));
  EXPECT_LT(steady_clock::now() - begin, seconds(10));
  ASSERT_TRUE(call.outcome) << base::TextOf(call.outcome.error());
  const auto& result = std::get<run::JavaScriptResult>(call.outcome->result);
  if (!call.ended) {
    EXPECT_FALSE(under_runsc());
    EXPECT_EQ(result.exit_code, 5);
    return;
  }
  EXPECT_EQ(call.ended->reason, SessionEnd::kBoundaryFailed);
  EXPECT_TRUE(result.timed_out);
  ExpectMarkedEnd(session.Call(SnippetRequest("1")), SessionEnd::kBoundaryFailed);
}

TEST_P(SessionEnding, S33_AContainerKilledDuringACallIsNoExit) {
  for (const bool remove : {false, true}) {
    LiveSession session(live());
    ASSERT_TRUE(session.ok());
    std::jthread killer([&] {
      std::this_thread::sleep_for(milliseconds(700));
      if (remove) {
        static_cast<void>(live().engine().Remove(session.name(), Within(seconds(10))));
      } else {
        EXPECT_EQ(PostToEngine("/containers/" + session.name() + "/kill", ""), 204);
      }
    });
    const auto call = session.Call(SnippetRequest("console.log(1); setInterval(() => {}, 1000)", seconds(20)));
    ExpectUnmarkedEnd(call, SessionEnd::kMainProcessEnded);
    EXPECT_EQ(session.ends_told(), 0);
  }
}

TEST_P(SessionEnding, S33_AContainerKilledBetweenCallsIsNotRunning) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session.Snippet("console.log(1)").stdout_bytes, "1\n");
  EXPECT_EQ(PostToEngine("/containers/" + session.name() + "/kill", ""), 204);
  ExpectMarkedEnd(session.Call(SnippetRequest("1")), SessionEnd::kMainProcessEnded);
}

TEST_P(SessionEnding, S34_AnUpdateBetweenCallsIsAChange) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session.Snippet("console.log(1)").stdout_bytes, "1\n");
  const std::string update =
      under_runsc() ? R"({"RestartPolicy":{"Name":"always"}})" : R"({"Memory":536870912,"MemorySwap":536870912})";
  ASSERT_EQ(PostToEngine("/containers/" + session.name() + "/update", update), 200);
  ExpectMarkedEnd(session.Call(SnippetRequest("1")), SessionEnd::kSandboxChanged);
}

TEST_P(SessionEnding, S35_APauseOrARemovalByAnotherIsAChange) {
  LiveSession paused(live());
  LiveSession removed(live());
  LiveSession resumed(live());
  ASSERT_TRUE(paused.ok() && removed.ok() && resumed.ok());
  ASSERT_TRUE(std::holds_alternative<base::Done>(live().engine().Pause(paused.name(), Within(seconds(10)))));
  ExpectMarkedEnd(paused.Call(SnippetRequest("1")), SessionEnd::kSandboxChanged);
  ASSERT_TRUE(std::holds_alternative<base::Done>(live().engine().Remove(removed.name(), Within(seconds(10)))));
  ExpectMarkedEnd(removed.Call(SnippetRequest("1")), SessionEnd::kSandboxChanged);
  ASSERT_TRUE(resumed.Suspend());
  ASSERT_TRUE(std::holds_alternative<base::Done>(live().engine().Unpause(resumed.name(), Within(seconds(10)))));
  ExpectMarkedEnd(resumed.Call(SnippetRequest("1")), SessionEnd::kSandboxChanged);
  EXPECT_TRUE(removed.Remove());
}

// Answers one question about a container with an error when it is told to.
class ForgetfulOnce final : public ForwardingEngine {
 public:
  using ForwardingEngine::ForwardingEngine;
  Answer<ContainerRecord> Examine(std::string_view id, const http::Bounds& bounds) override {
    if (forget.exchange(false)) {
      return EngineError{.kind = EngineError::Kind::kDeadline, .sent = http::Sent::kMaybe};
    }
    return ForwardingEngine::Examine(id, bounds);
  }
  std::atomic<bool> forget = false;
};

TEST(SessionEngine, S36_OneInspectWithoutAnAnswerEndsNothing) {
  std::shared_ptr<ForgetfulOnce> engine;
  LiveProvider live(WithSessions("runc"), [&](std::shared_ptr<Engine> real) {
    engine = std::make_shared<ForgetfulOnce>(std::move(real));
    return engine;
  });
  ASSERT_TRUE(live.ok());
  LiveSession session(live);
  ASSERT_TRUE(session.ok());
  engine->forget = true;
  const auto call = session.Call(SnippetRequest("console.log(1)"));
  EXPECT_FALSE(call.ended);
  ASSERT_NE(base::RefusalIn(call.outcome), nullptr);
  EXPECT_EQ(base::ReasonOf(base::RefusalIn(call.outcome)->rule), base::Reason::kEnvironment);
  EXPECT_EQ(session.Snippet("console.log('next')").stdout_bytes, "next\n");
}

TEST_P(SessionEnding, S37_FilesOverTheBoundEndIt) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  // A file that is deleted and open goes with its process.
  EXPECT_EQ(session.Shell("exec 3> gone; rm gone; head -c 68157440 /dev/zero >&3; echo written"), "written\n");
  EXPECT_EQ(session.Shell("echo next"), "next\n");
  EXPECT_EQ(session.Shell("head -c 68157440 /dev/zero > big; echo written"), "written\n");
  const auto told = session.AwaitEnd(seconds(20));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->reason, SessionEnd::kDiskExceeded);
  ExpectMarkedEnd(session.Call(SnippetRequest("1")), SessionEnd::kDiskExceeded);
  EXPECT_EQ(session.ends_told(), 1);
}

TEST_P(SessionEnding, AnEndIsToldByTheCallThatWaitsForTheSweep) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  std::promise<provider::KeptCall> first;
  std::promise<provider::KeptCall> second;
  run::Project project;
  project.steps = {"head -c 68157440 /dev/zero > big"};
  const auto big = ProjectRequest(std::move(project));
  const auto next = SnippetRequest("1");
  session.sandbox().Run({.request = big, .principal = "test", .stop = {}}, [&](provider::KeptCall call) {
    session.sandbox().Run({.request = next, .principal = "test", .stop = {}},
                          [&](provider::KeptCall answer) { second.set_value(std::move(answer)); });
    first.set_value(std::move(call));
  });
  EXPECT_TRUE(first.get_future().get().outcome);
  ExpectMarkedEnd(second.get_future().get(), SessionEnd::kDiskExceeded);
  EXPECT_EQ(session.ends_told(), 0);
}

TEST_P(SessionEnding, ARemovalInterruptsACall) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  std::promise<provider::KeptCall> promise;
  const auto endless = SnippetRequest("setInterval(() => {}, 1000)", seconds(25));
  const auto begin = steady_clock::now();
  session.sandbox().Run({.request = endless, .principal = "test", .stop = {}},
                        [&](provider::KeptCall call) { promise.set_value(std::move(call)); });
  std::this_thread::sleep_for(milliseconds(700));
  EXPECT_TRUE(session.Remove());
  const auto call = promise.get_future().get();
  EXPECT_LT(steady_clock::now() - begin, seconds(6));
  EXPECT_NE(base::FaultIn(call.outcome), nullptr);
  EXPECT_TRUE(live().Containers().empty());
  EXPECT_TRUE(session.Remove()) << "what is gone may be removed again";
  EXPECT_NE(base::FaultIn(session.Call(SnippetRequest("1")).outcome), nullptr);
  EXPECT_NE(base::FaultIn(session.Suspend()), nullptr);
  EXPECT_EQ(session.ends_told(), 0);
}

TEST_P(SessionEnding, OneThatIsLetGoIsRemovedAndGivesItsShareBack) {
  LiveSession session(live());
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(live().provider().CountPool().shares, 1U);
  EXPECT_NE(base::FaultIn(live().provider().Drain(steady_clock::now() + milliseconds(300))), nullptr);
  session.Drop();
  EXPECT_TRUE(live().provider().Drain(steady_clock::now() + seconds(10)));
  EXPECT_TRUE(live().Containers().empty());
  EXPECT_EQ(live().provider().CountPool().shares, 0U);
}

TEST_P(SessionEnding, ItsContainerSaysWhatItIsAndIsNotReapedWhileItIsHeld) {
  LiveSession session(live(), -seconds(600));
  ASSERT_TRUE(session.ok());
  ASSERT_EQ(session.name().size(), std::string("plsm-session-").size() + 16);
  EXPECT_TRUE(session.name().starts_with("plsm-session-"));
  const auto listed = live().engine().ListByName(session.name(), Within(seconds(10)));
  const auto& labels = std::get<std::vector<ContainerListed>>(listed).at(0).labels;
  EXPECT_EQ(labels.at("io.plimsoll.session"), "1");
  const auto expires = ParseExpiry(labels.at(std::string(kExpiresLabel)));
  ASSERT_TRUE(expires);
  EXPECT_LT(*expires, std::chrono::system_clock::now() - seconds(590));
  EXPECT_EQ(live().provider().ReapOrphans(steady_clock::now() + seconds(10)).value(), 0U);
  EXPECT_EQ(session.Shell("echo there"), "there\n");
  EXPECT_EQ(session.sandbox().Facts().environment, live().state()->images.at(Role::kProject).identity);
  EXPECT_EQ(session.sandbox().Facts().tier, live().state()->tier);
}

}  // namespace
}  // namespace plimsoll::docker
