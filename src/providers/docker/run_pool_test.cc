#include "providers/docker/run_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>

#include "os/system_clock.h"
#include "providers/docker/testing/fake_launcher.h"
#include "testkit/capture_log.h"

// The pool's threads over sandboxes without containers. Times are real and short.
namespace plimsoll::docker {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::steady_clock;
using Facts = FakeWorld::Facts;

struct Pooled {
  explicit Pooled(RunPool::Options options, std::shared_ptr<const State> ground = FakeState())
      : state(std::move(ground)), pool(options, launcher, clock, log) {}

  base::Result<RunPool::Claim> Take(Role role, milliseconds longest = seconds(10)) {
    return pool.Take(role, *state, {.deadline = steady_clock::now() + longest});
  }
  bool AwaitWaiting(std::size_t snippets, std::size_t projects) {
    const auto until = steady_clock::now() + seconds(10);
    while (steady_clock::now() < until) {
      const auto census = pool.Count();
      if (census.snippets == snippets && census.projects == projects) {
        return true;
      }
      std::this_thread::sleep_for(milliseconds(1));
    }
    return false;
  }
  // What a run does at its end.
  void End(base::Result<RunPool::Claim> claim) {
    claim->place.Answered();
    launcher.Remove(std::move(claim->sandbox));
  }

  std::shared_ptr<FakeWorld> world = std::make_shared<FakeWorld>();
  FakeLauncher launcher{world};
  os::SystemClock clock;
  testkit::CaptureLog log;
  std::shared_ptr<const State> state;
  RunPool pool;
};

RunPool::Options Members(std::size_t members, std::optional<std::size_t> shares = {}) {
  RunPool::Options options;
  options.book.members = members;
  options.book.shares = shares;
  options.patience = milliseconds(20);
  return options;
}

TEST(RunPool, MakesNothingBeforeItHasGroundAndRemovesAllAtItsEnd) {
  std::shared_ptr<FakeWorld> world;
  {
    Pooled p(Members(3));
    world = p.world;
    EXPECT_EQ(p.world->facts.Lock()->launches, 0U);
    p.pool.SetGround(p.state);
    ASSERT_TRUE(p.AwaitWaiting(2, 1));
    EXPECT_EQ(p.world->facts.Lock()->most_launching, 1U);
    EXPECT_EQ(p.world->facts.Lock()->prepared, 2U);  // the snippets' interpreters
  }
  EXPECT_TRUE(world->facts.Lock()->alive.empty());
}

TEST(RunPool, ItsLabelCoversTheWaitAndTheLongestRun) {
  Pooled p(Members(2));
  p.pool.SetGround(p.state);
  ASSERT_TRUE(p.AwaitWaiting(1, 1));
  auto claim = p.Take(Role::kProject);
  ASSERT_TRUE(claim);
  EXPECT_GE(claim->sandbox->ends(), p.clock.Wall() + minutes(30) + seconds(120));
  p.End(std::move(claim));
}

TEST(RunPool, AClaimIsFilledAgainInTheBackground) {
  Pooled p(Members(2));
  p.pool.SetGround(p.state);
  ASSERT_TRUE(p.AwaitWaiting(1, 1));
  auto claim = p.Take(Role::kSnippet);
  ASSERT_TRUE(claim);
  ASSERT_NE(claim->sandbox, nullptr);
  EXPECT_TRUE(p.AwaitWaiting(1, 1));  // also while the run goes on
  p.End(std::move(claim));
}

TEST(RunPool, AnEmptyPoolIsAColdStartAndNeverAWait) {
  Pooled p(Members(1));
  p.world->Set([](Facts& facts) { facts.hold_launches = true; });
  p.pool.SetGround(p.state);
  ASSERT_TRUE(p.world->Await([](const Facts& facts) { return facts.launching == 1; }));
  const auto begin = steady_clock::now();
  auto claim = p.Take(Role::kSnippet);
  EXPECT_LT(steady_clock::now() - begin, seconds(1));
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->sandbox, nullptr);
  p.world->Set([](Facts& facts) { facts.hold_launches = false; });
  p.End(std::move(claim));
}

TEST(RunPool, XD8_OneThatDoesNotAnswerIsRemovedAndTheNextIsTried) {
  Pooled p(Members(3));
  p.pool.SetGround(p.state);
  ASSERT_TRUE(p.AwaitWaiting(2, 1));
  p.world->Set([](Facts& facts) { facts.deaf.insert(*facts.alive.begin()); });
  const std::string deaf = *p.world->facts.Lock()->deaf.begin();
  auto claim = p.Take(Role::kSnippet);
  ASSERT_TRUE(claim);
  ASSERT_NE(claim->sandbox, nullptr);
  EXPECT_NE(claim->sandbox->name(), deaf);
  EXPECT_EQ(p.pool.Count().dead, 1U);
  EXPECT_TRUE(p.world->Await([&](const Facts& facts) { return !facts.alive.contains(deaf); }));
  p.End(std::move(claim));
}

TEST(RunPool, WhenAllAreDeadTheRunMakesItsOwn) {
  Pooled p(Members(2));
  p.pool.SetGround(p.state);
  ASSERT_TRUE(p.AwaitWaiting(1, 1));
  p.world->Set([](Facts& facts) {
    facts.deaf = facts.alive;
    facts.hold_launches = true;
  });
  auto claim = p.Take(Role::kSnippet);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->sandbox, nullptr);
  p.world->Set([](Facts& facts) { facts.hold_launches = false; });
  p.End(std::move(claim));
}

TEST(RunPool, AnotherGroundRemovesWhatWaitsAndMakesItAnew) {
  Pooled p(Members(2));
  p.pool.SetGround(p.state);
  ASSERT_TRUE(p.AwaitWaiting(1, 1));
  p.pool.SetGround(FakeState("b"));
  EXPECT_TRUE(p.world->Await([](const Facts& facts) { return facts.removed.size() == 2 && facts.alive.size() == 2; }));
  ASSERT_TRUE(p.AwaitWaiting(1, 1));
  auto claim = p.pool.Take(Role::kSnippet, *FakeState("b"), {.deadline = steady_clock::now() + seconds(10)});
  ASSERT_TRUE(claim);
  EXPECT_NE(claim->sandbox, nullptr);
  p.End(std::move(claim));
}

TEST(RunPool, AMemberThatHasWaitedTooLongIsReplaced) {
  RunPool::Options options = Members(2);
  options.book.longest_wait = milliseconds(50);
  Pooled p(options);
  p.pool.SetGround(p.state);
  EXPECT_TRUE(p.world->Await([](const Facts& facts) { return facts.removed.size() >= 4 && facts.launches >= 6; }));
}

TEST(RunPool, TheBudgetIsNeverExceededAndARunTakesAWaitingMembersPlace) {
  Pooled p(Members(2, 2));
  p.pool.SetGround(p.state);
  ASSERT_TRUE(p.AwaitWaiting(1, 1));
  auto first = p.Take(Role::kSnippet);  // a member
  ASSERT_TRUE(first);
  ASSERT_NE(first->sandbox, nullptr);
  auto second = p.Take(Role::kSnippet);  // the place of the project's member
  ASSERT_TRUE(second);
  EXPECT_EQ(second->sandbox, nullptr);
  EXPECT_EQ(p.world->facts.Lock()->alive.size(), 1U);
  second->sandbox =
      std::move(p.launcher.Launch(p.state, Role::kSnippet, {.ends = {}}, {.deadline = steady_clock::now()})).value();
  second->place.Made();
  // A third has no room until one of them is gone.
  const auto third = p.Take(Role::kSnippet, milliseconds(100));
  ASSERT_NE(base::RefusalIn(third), nullptr);
  EXPECT_EQ(base::RefusalIn(third)->rule, base::Rule::kAtCapacity);
  auto waiting = std::async(std::launch::async, [&] { return p.Take(Role::kProject); });
  EXPECT_EQ(waiting.wait_for(milliseconds(50)), std::future_status::timeout);
  p.End(std::move(first));
  auto fourth = waiting.get();
  ASSERT_TRUE(fourth);
  EXPECT_EQ(fourth->sandbox, nullptr);
  p.End(std::move(second));
  p.End(std::move(fourth));
  EXPECT_TRUE(p.AwaitWaiting(1, 1));
  EXPECT_LE(p.world->facts.Lock()->most_alive, 2U);
}

TEST(RunPool, ARemovalThatHangsCostsTheRunThatNeedsItsRoomNoMoreThanItsTime) {
  Pooled p(Members(2, 2));
  p.pool.SetGround(p.state);
  ASSERT_TRUE(p.AwaitWaiting(1, 1));
  auto first = p.Take(Role::kSnippet);
  p.world->Set([](Facts& facts) { facts.hold_removals = true; });
  const auto begin = steady_clock::now();
  const auto refused = p.Take(Role::kSnippet, milliseconds(100));
  EXPECT_LT(steady_clock::now() - begin, seconds(5));
  ASSERT_NE(base::RefusalIn(refused), nullptr);
  EXPECT_EQ(base::RefusalIn(refused)->rule, base::Rule::kAtCapacity);
  EXPECT_EQ(p.pool.Count().shares, 2U);  // what is not gone keeps its share
  p.world->Set([](Facts& facts) { facts.hold_removals = false; });
  auto second = p.Take(Role::kProject);
  EXPECT_TRUE(second);
  EXPECT_LE(p.world->facts.Lock()->most_alive, 2U);
  p.End(std::move(first));
  p.End(std::move(second));
}

TEST(RunPool, OneMemberIsRemovedForEachRunThatWaitsAndNoMore) {
  Pooled p(Members(3, 3));
  p.pool.SetGround(p.state);
  ASSERT_TRUE(p.AwaitWaiting(2, 1));
  auto first = p.Take(Role::kProject);
  p.world->Set([](Facts& facts) { facts.hold_removals = true; });
  auto waiting = std::async(std::launch::async, [&] { return p.Take(Role::kProject); });
  EXPECT_EQ(waiting.wait_for(milliseconds(50)), std::future_status::timeout);
  first->place.Answered();  // a change that frees no room
  EXPECT_EQ(waiting.wait_for(milliseconds(50)), std::future_status::timeout);
  EXPECT_EQ(p.pool.Count().snippets, 1U);
  p.world->Set([](Facts& facts) { facts.hold_removals = false; });
  auto second = waiting.get();
  ASSERT_TRUE(second);
  EXPECT_EQ(p.world->facts.Lock()->removed.size(), 1U);
  p.End(std::move(first));
  p.End(std::move(second));
}

TEST(RunPool, ARunThatWaitsForRoomIsToldWhenItsCallerLeaves) {
  Pooled p(Members(0, 1));
  auto first = p.Take(Role::kSnippet);
  ASSERT_TRUE(first);
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] {
    return p.pool.Take(Role::kSnippet, *p.state,
                       {.deadline = steady_clock::now() + seconds(10), .stop = stop.get_token()});
  });
  EXPECT_EQ(waiting.wait_for(milliseconds(20)), std::future_status::timeout);
  stop.request_stop();
  const auto refused = waiting.get();
  ASSERT_NE(base::RefusalIn(refused), nullptr);
  EXPECT_EQ(base::RefusalIn(refused)->rule, base::Rule::kCanceled);
  p.End(std::move(first));
}

TEST(RunPool, MakesNothingWhileARunMakesItsOwn) {
  Pooled p(Members(2));
  auto cold = p.Take(Role::kSnippet);
  ASSERT_TRUE(cold);
  p.pool.SetGround(p.state);
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(p.world->facts.Lock()->launches, 0U);
  cold->place.Made();
  EXPECT_TRUE(p.AwaitWaiting(1, 1));  // the run itself still goes on
  p.End(std::move(cold));
}

TEST(RunPool, FailuresAreTriedAgainMoreAndMoreSeldomAndLeaveNothing) {
  Pooled p(Members(1));
  p.world->Set([](Facts& facts) { facts.break_launches = true; });
  const auto begin = steady_clock::now();
  p.pool.SetGround(p.state);
  ASSERT_TRUE(p.world->Await([](const Facts& facts) { return facts.launches == 3; }));
  EXPECT_GE(steady_clock::now() - begin, milliseconds(1'400));  // 0.5 s and 1 s
  p.world->Set([](Facts& facts) { facts.break_launches = false; });
  EXPECT_TRUE(p.world->Await([](const Facts& facts) { return facts.removed.size() >= 2; }));
  EXPECT_TRUE(p.log.Contains("could not be made"));
}

TEST(RunPool, EndsWhileAMemberIsBeingMadeAndRemovesIt) {
  std::shared_ptr<FakeWorld> world;
  {
    Pooled p(Members(1));
    world = p.world;
    p.world->Set([](Facts& facts) { facts.hold_launches = true; });
    p.pool.SetGround(p.state);
    ASSERT_TRUE(p.world->Await([](const Facts& facts) { return facts.launching == 1; }));
  }
  EXPECT_TRUE(world->facts.Lock()->alive.empty());
}

TEST(RunPool, CloseRemovesWhatWaitsAndAwaitEmptySaysWhenAllIsGone) {
  Pooled p(Members(2));
  p.pool.SetGround(p.state);
  ASSERT_TRUE(p.AwaitWaiting(1, 1));
  auto claim = p.Take(Role::kSnippet);
  ASSERT_TRUE(claim);
  p.pool.Close();
  EXPECT_FALSE(p.pool.AwaitEmpty(steady_clock::now() + milliseconds(50)));
  p.End(std::move(claim));
  claim = base::Fault{base::FaultKind::kInternal, ""};
  EXPECT_TRUE(p.pool.AwaitEmpty(steady_clock::now() + seconds(10)));
  EXPECT_TRUE(p.world->facts.Lock()->alive.empty());
}

// A sandbox that is kept is never a member of the pool, and takes its room (POOL-4).
TEST(RunPool, RoomForAKeptSandboxIsNoMemberAndHasOneRemovedForIt) {
  Pooled p(Members(2, 2));
  p.pool.SetGround(p.state);
  ASSERT_TRUE(p.AwaitWaiting(1, 1));
  auto room = p.pool.TakeRoom({.deadline = steady_clock::now() + seconds(10)});
  ASSERT_TRUE(room);
  EXPECT_EQ(p.pool.Count().shares, 2U);
  EXPECT_EQ(p.world->facts.Lock()->removed.size(), 1U);
  room->Answered();
  auto other = p.pool.TakeRoom({.deadline = steady_clock::now() + seconds(10)});
  ASSERT_TRUE(other);
  const auto none = p.pool.TakeRoom({.deadline = steady_clock::now() + milliseconds(50)});
  ASSERT_NE(base::RefusalIn(none), nullptr);
  EXPECT_EQ(base::RefusalIn(none)->rule, base::Rule::kAtCapacity);
  EXPECT_EQ(p.pool.Count().shares, 2U);
}

}  // namespace
}  // namespace plimsoll::docker
