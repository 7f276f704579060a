// Several threads in one session, and calls that are given up.
#include <gtest/gtest.h>

#include <condition_variable>
#include <thread>

#include "clients/cpp/fake_session_for_test.h"
#include "clients/cpp/turn_queue.h"

namespace plimsoll::client {
namespace {

using std::chrono::milliseconds;

// A door that a test opens.
class Door {
 public:
  void Open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    changed_.notify_all();
  }
  // Says that somebody waits, and waits.
  void Wait() {
    std::unique_lock lock(mutex_);
    reached_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
  }
  // Waits until somebody waits.
  void AwaitReached() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reached_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  bool reached_ = false;
};

// An honest session whose first call is held at the door.
struct Held {
  explicit Held(ClientOptions options = {})
      : harness(
            [this](const Post& post) {
              if (Is(post, "SessionRun") && calls++ == 0) {
                door.Wait();
              }
              return Ok(post, daemon.Truth(post));
            },
            std::move(options)),
        session(harness.client.OpenSession().value()),
        first([this] { first_ran = session.RunJavaScript("1").has_value(); }) {
    door.AwaitReached();
  }
  ~Held() { Finish(); }

  void Finish() {
    door.Open();
    if (first.joinable()) {
      first.join();
    }
  }

  FakeSession daemon;
  Door door;
  int calls = 0;
  Harness harness;
  Session session;
  bool first_ran = false;
  std::jthread first;
};

TEST(SessionTurns, SendsOneCallAtATime) {
  FakeSession daemon;
  std::atomic<int> at_once = 0;
  Harness harness([&](const Post& post) {
    EXPECT_EQ(++at_once, 1);
    std::this_thread::sleep_for(milliseconds(1));
    --at_once;
    return Ok(post, daemon.Truth(post));
  });
  auto session = harness.client.OpenSession();
  std::atomic<int> ran = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 20; ++j) {
          ran += session->RunJavaScript("1").has_value() ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(ran, 160);
  EXPECT_EQ(session->calls(), 160U);
  EXPECT_TRUE(session->Close());
}

TEST(SessionTurns, NeverSendsACallThatWasCanceledWhileItWaited) {
  Held held;
  std::stop_source source;
  std::optional<Error> error;
  std::jthread waiting([&] {
    RunOptions options;
    options.cancel = source.get_token();
    error = held.session.RunJavaScript("2", options).error();
  });
  std::this_thread::sleep_for(milliseconds(20));  // long enough to wait; the outcome is the same if it does not yet
  source.request_stop();
  waiting.join();  // while the first call is still held
  ASSERT_TRUE(error);
  EXPECT_EQ(error->error_class, ErrorClass::kRequestCanceled);
  EXPECT_EQ(error->code, Code::kCanceled);
  EXPECT_EQ(error->not_dispatched, NotDispatched::kRequest);
  held.Finish();
  EXPECT_TRUE(held.first_ran);
  EXPECT_EQ(MethodsOf(held.harness.sent), "OpenSession SessionRun");
  EXPECT_FALSE(held.session.stopped());
  const auto next = held.session.RunJavaScript("3");
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(next->evidence.record->sequence, 2U);
}

TEST(SessionTurns, RefusesACallWhoseTimePassesWhileItWaits) {
  Held held({.request_timeout = milliseconds(100)});
  const auto result = held.session.RunJavaScript("2");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error_class, ErrorClass::kRequestTimeout);
  EXPECT_EQ(result.error().not_dispatched, NotDispatched::kEnvironment);
  held.Finish();
  EXPECT_EQ(MethodsOf(held.harness.sent), "OpenSession SessionRun");
  EXPECT_TRUE(held.session.RunJavaScript("3"));
}

TEST(SessionTurns, RefusesACallThatWaitedForOneThatStoppedTheSession) {
  Door door;
  Harness harness([&](const Post& post) -> std::variant<Answer, Failure> {
    if (Is(post, "SessionRun")) {
      door.Wait();
      return Failure{FailureKind::kBroken, Progress::kMayHaveSent, "gone"};
    }
    return Ok(post, FakeSession().Truth(post));
  });
  auto session = harness.client.OpenSession();
  std::jthread first([&] { EXPECT_FALSE(session->RunJavaScript("1")); });
  door.AwaitReached();
  std::jthread second([&] { EXPECT_EQ(session->RunJavaScript("2").error().error_class, ErrorClass::kSessionStopped); });
  std::this_thread::sleep_for(milliseconds(20));
  door.Open();
  first.join();
  second.join();
  EXPECT_EQ(MethodsOf(harness.sent), "OpenSession SessionRun");
}

TEST(SessionTurns, SaysWhereItStandsWithoutWaitingForACallInFlight) {
  Held held;
  EXPECT_FALSE(held.session.ended());
  EXPECT_FALSE(held.session.stopped());
  EXPECT_EQ(held.session.calls(), 0U);
  EXPECT_EQ(held.session.last_record_sha256(), "");
  EXPECT_EQ(held.session.isolation(), "kernel");
}

TEST(SessionTurns, ClosesAfterACallInFlight) {
  Held held;
  std::jthread closing([&] {
    const auto summary = held.session.Close();
    ASSERT_TRUE(summary) << summary.error().message;
    EXPECT_EQ(summary->calls, 1U);
  });
  std::this_thread::sleep_for(milliseconds(20));
  held.Finish();
  closing.join();
  EXPECT_EQ(MethodsOf(held.harness.sent), "OpenSession SessionRun CloseSession");
  EXPECT_EQ(held.session.RunJavaScript("2").error().error_class, ErrorClass::kSessionEnded);
}

TEST(SessionTurns, LeavesASessionUsableWhoseCloseWasCanceledUnsent) {
  FakeSession daemon;
  Harness harness(daemon.Honest());
  auto session = harness.client.OpenSession();
  std::stop_source source;
  source.request_stop();
  const auto summary = session->Close({.cancel = source.get_token()});
  EXPECT_EQ(summary.error().error_class, ErrorClass::kRequestCanceled);
  EXPECT_EQ(summary.error().not_dispatched, NotDispatched::kRequest);
  EXPECT_TRUE(session->RunJavaScript("1"));
  EXPECT_TRUE(session->Close());
}

TEST(SessionTurns, OpensNothingWhenCanceledBefore) {
  FakeSession daemon;
  Harness harness(daemon.Honest());
  std::stop_source source;
  source.request_stop();
  const auto session = harness.client.OpenSession({}, {.cancel = source.get_token()});
  EXPECT_EQ(session.error().error_class, ErrorClass::kRequestCanceled);
  EXPECT_EQ(session.error().not_dispatched, NotDispatched::kRequest);
  EXPECT_TRUE(harness.sent.empty());
}

TEST(SessionTurns, CLI8_ClosesWhatAnAbandonedOpenHasOpened) {
  FakeSession daemon;
  std::stop_source source;
  Harness harness([&](const Post& post) {
    EXPECT_EQ(post.cancels, Is(post, "OpenSession") ? Cancels::kBeforeSending : Cancels::kAtAnyTime);
    source.request_stop();  // after the request was sent
    return Ok(post, daemon.Truth(post));
  });
  const auto session = harness.client.OpenSession({}, {.cancel = source.get_token()});
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().error_class, ErrorClass::kRequestCanceled);
  EXPECT_EQ(session.error().not_dispatched, std::nullopt);
  EXPECT_EQ(MethodsOf(harness.sent), "OpenSession CloseSession");
}

TEST(SessionTurns, IsNotCutByACancellationWhileItCloses) {
  FakeSession daemon;
  std::stop_source source;
  Harness harness([&](const Post& post) {
    if (Is(post, "CloseSession")) {
      EXPECT_EQ(post.cancels, Cancels::kBeforeSending);
      source.request_stop();
    }
    return Ok(post, daemon.Truth(post));
  });
  auto session = harness.client.OpenSession();
  EXPECT_TRUE(session->Close({.cancel = source.get_token()}));
}

TEST(TurnQueue, GivesTurnsInTheOrderOfArrival) {
  TurnQueue queue;
  std::vector<int> order;
  {
    std::vector<std::jthread> threads;
    auto held = queue.Take({}, std::chrono::seconds(10));
    for (int i = 0; i < 5; ++i) {
      threads.emplace_back([&, i] {
        const auto turn = queue.Take({}, std::chrono::seconds(10));
        ASSERT_TRUE(std::holds_alternative<TurnQueue::Turn>(turn));
        order.push_back(i);
      });
      std::this_thread::sleep_for(milliseconds(20));
    }
    held = TurnQueue::Missed::kCanceled;  // gives the turn back
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(TurnQueue, IsAsItWasAfterAMissedTurn) {
  TurnQueue queue;
  {
    const auto held = queue.Take({}, std::chrono::seconds(10));
    EXPECT_EQ(std::get<TurnQueue::Missed>(queue.Take({}, milliseconds(1))), TurnQueue::Missed::kTimedOut);
    std::stop_source source;
    source.request_stop();
    EXPECT_EQ(std::get<TurnQueue::Missed>(queue.Take(source.get_token(), std::chrono::seconds(10))),
              TurnQueue::Missed::kCanceled);
  }
  EXPECT_TRUE(std::holds_alternative<TurnQueue::Turn>(queue.Take({}, milliseconds(1))));
}

}  // namespace
}  // namespace plimsoll::client
