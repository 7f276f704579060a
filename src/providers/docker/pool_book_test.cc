#include "providers/docker/pool_book.h"

#include <gtest/gtest.h>

#include <chrono>

#include "providers/docker/testing/fake_launcher.h"

namespace plimsoll::docker {
namespace {

using std::chrono::minutes;
using Targets = std::map<Role, std::size_t>;

constexpr base::SteadyTime kNow{std::chrono::hours(1)};

// A book and the sandboxes that are put into it.
struct Desk {
  explicit Desk(PoolBook::Options options) : book(options) { book.SetGround(state); }

  std::unique_ptr<Sandbox> Make(Role role, const std::shared_ptr<const State>& ground) {
    return std::make_unique<FakeSandbox>(world, "m" + std::to_string(++made), role, ground, base::WallTime{});
  }
  // Makes what is wanted until nothing is; the roles in order.
  std::vector<Role> FillUp(base::SteadyTime now = kNow) {
    std::vector<Role> roles;
    while (const auto role = book.Wanted()) {
      book.BeginFill(*role);
      book.EndFill(*role, Make(*role, book.ground()), now);
      roles.push_back(*role);
    }
    return roles;
  }
  void Ask(Role role, int times) {
    for (int i = 0; i < times; ++i) {
      book.Claim(role, *FakeState("of nobody"));
    }
  }

  std::shared_ptr<FakeWorld> world = std::make_shared<FakeWorld>();
  std::shared_ptr<const State> state = FakeState();
  int made = 0;
  PoolBook book;
};

TEST(PoolBook, HasOneOfEachWhenThereAreTwoAndTheRestByDemand) {
  Desk two({.members = 2});
  EXPECT_EQ(two.book.Targets(), (Targets{{Role::kSnippet, 1}, {Role::kProject, 1}}));
  Desk six({.members = 6});
  EXPECT_EQ(six.book.Targets(), (Targets{{Role::kSnippet, 5}, {Role::kProject, 1}}));  // before anyone has asked
  six.Ask(Role::kProject, 12);
  EXPECT_EQ(six.book.Targets(), (Targets{{Role::kSnippet, 1}, {Role::kProject, 5}}));
  six.Ask(Role::kSnippet, 12);
  EXPECT_EQ(six.book.Targets(), (Targets{{Role::kSnippet, 3}, {Role::kProject, 3}}));
}

TEST(PoolBook, ASingleMemberIsForWhatIsAskedForMost) {
  Desk desk({.members = 1});
  EXPECT_EQ(desk.book.Targets()[Role::kSnippet], 1U);
  desk.Ask(Role::kProject, 3);
  EXPECT_EQ(desk.book.Targets()[Role::kProject], 1U);
  EXPECT_EQ(desk.book.Targets()[Role::kSnippet], 0U);
}

TEST(PoolBook, WithoutMembersOrGroundNothingIsWanted) {
  EXPECT_FALSE(Desk({.members = 0}).book.Wanted());
  Desk desk({.members = 2});
  desk.book.SetGround(nullptr);
  EXPECT_FALSE(desk.book.Wanted());
}

TEST(PoolBook, GivesTheLongestWaitingOfTheRoleOnceAndNoOther) {
  Desk desk({.members = 3});
  desk.FillUp();
  const auto first = desk.book.Claim(Role::kSnippet, *desk.state);
  const auto second = desk.book.Claim(Role::kSnippet, *desk.state);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_LT(first->name(), second->name());
  EXPECT_EQ(desk.book.Claim(Role::kSnippet, *desk.state), nullptr);
  EXPECT_EQ(desk.book.Claim(Role::kProject, *desk.state)->role(), Role::kProject);
}

TEST(PoolBook, XD8_AMemberOfAnotherGroundIsNotGiven) {
  const auto differs = [](auto change) {
    Desk desk({.members = 2});
    desk.FillUp();
    State other = *desk.state;
    change(other);
    return desk.book.Claim(Role::kSnippet, other) == nullptr;
  };
  EXPECT_FALSE(differs([](State&) {}));
  EXPECT_TRUE(differs([](State& state) { state.images[Role::kSnippet].id = "sha256:other"; }));
  EXPECT_TRUE(differs([](State& state) { state.images[Role::kSnippet].environment = {"A=b"}; }));
  EXPECT_TRUE(differs([](State& state) { state.images[Role::kSnippet].software_identity = "oci-manifest:x"; }));
  EXPECT_TRUE(differs([](State& state) { state.tier = isolation::Tier::kKernel; }));
  EXPECT_TRUE(differs([](State& state) { state.runtime = "runsc"; }));
  EXPECT_TRUE(differs([](State& state) { state.runtime_version = "2"; }));
  EXPECT_TRUE(differs([](State& state) { state.seccomp = "unconfined"; }));
  EXPECT_TRUE(differs([](State& state) { state.agent_sha256 = "other"; }));
  EXPECT_TRUE(differs([](State& state) { state.work_mb = 1; }));
  EXPECT_FALSE(differs([](State& state) { state.images[Role::kProject].id = "sha256:other"; }));  // not its image
}

TEST(PoolBook, AnotherGroundMakesTheStaleOnesLeave) {
  Desk desk({.members = 3});
  desk.FillUp();
  State moved = *desk.state;
  moved.images[Role::kProject].id = "sha256:moved";
  desk.book.SetGround(std::make_shared<State>(moved));
  EXPECT_EQ(desk.book.Waiting(Role::kSnippet), 2U);
  EXPECT_EQ(desk.book.TakeLeaving().size(), 1U);
  EXPECT_EQ(desk.book.shares_taken(), 3U);  // until they are gone
  desk.book.GiveShare();
  EXPECT_EQ(desk.book.Wanted(), Role::kProject);
}

TEST(PoolBook, AMemberThatWasMadeOnAGroundThatWentMeanwhileLeavesAtOnce) {
  Desk desk({.members = 2});
  desk.book.BeginFill(Role::kSnippet);
  auto made = desk.Make(Role::kSnippet, desk.state);
  desk.book.SetGround(FakeState("b"));
  desk.book.EndFill(Role::kSnippet, std::move(made), kNow);
  EXPECT_EQ(desk.book.waiting(), 0U);
  EXPECT_EQ(desk.book.TakeLeaving().size(), 1U);
}

TEST(PoolBook, NobodyWaitsLongerThanHalfAnHour) {
  Desk desk({.members = 2});
  desk.FillUp(kNow);
  EXPECT_EQ(desk.book.NextRetirement(), kNow + minutes(30));
  desk.book.Retire(kNow + minutes(30) - std::chrono::milliseconds(1));
  EXPECT_EQ(desk.book.waiting(), 2U);
  desk.book.Retire(kNow + minutes(30));
  EXPECT_EQ(desk.book.waiting(), 0U);
  EXPECT_EQ(desk.book.TakeLeaving().size(), 2U);
  EXPECT_FALSE(desk.book.NextRetirement());
}

TEST(PoolBook, EveryoneTakesAShareOfTheBudgetAndRunsComeFirst) {
  Desk desk({.members = 4, .shares = 3});
  EXPECT_EQ(desk.FillUp().size(), 3U);  // not four
  EXPECT_FALSE(desk.book.TakeShare());
  // A claim takes its member's share with it.
  const auto claimed = desk.book.Claim(Role::kSnippet, *desk.state);
  EXPECT_EQ(desk.book.shares_taken(), 3U);
  EXPECT_FALSE(desk.book.Wanted());
  // A run that finds none for itself has one removed for its room.
  EXPECT_TRUE(desk.book.Evict());
  EXPECT_TRUE(desk.book.Evict());
  EXPECT_FALSE(desk.book.Evict());
  EXPECT_EQ(desk.book.leaving(), 2U);
  EXPECT_EQ(desk.book.shares_taken(), 3U);
  desk.book.GiveShare();
  EXPECT_TRUE(desk.book.TakeShare());
}

TEST(PoolBook, EvictsWhatIsLeastMissed) {
  Desk desk({.members = 4, .shares = 4});
  desk.Ask(Role::kSnippet, 4);
  desk.FillUp();  // three snippets and a project
  desk.Ask(Role::kProject, 60);
  const std::size_t snippets = desk.book.Waiting(Role::kSnippet);  // where one is wanted
  EXPECT_TRUE(desk.book.Evict());
  EXPECT_EQ(desk.book.Waiting(Role::kSnippet), snippets - 1);
}

TEST(PoolBook, WhenDemandMovesAPlaceIsClearedForIt) {
  Desk desk({.members = 4});
  desk.FillUp();  // three snippets and a project
  const auto taken = desk.book.Claim(Role::kProject, *desk.state);
  desk.FillUp();
  desk.Ask(Role::kProject, 10);
  EXPECT_GE(desk.book.TakeLeaving().size(), 1U);
  desk.book.GiveShare();
  EXPECT_EQ(desk.book.Wanted(), Role::kProject);
}

TEST(PoolBook, OneThatCouldNotBeMadeIsWantedAgain) {
  Desk desk({.members = 1});
  desk.book.BeginFill(Role::kSnippet);
  EXPECT_FALSE(desk.book.Wanted());
  desk.book.EndFill(Role::kSnippet, nullptr, kNow);
  desk.book.GiveShare();
  EXPECT_EQ(desk.book.Wanted(), Role::kSnippet);
  EXPECT_EQ(desk.book.shares_taken(), 0U);
}

}  // namespace
}  // namespace plimsoll::docker
