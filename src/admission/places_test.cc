#include "admission/places.h"

#include <gtest/gtest.h>

namespace plimsoll::admission {
namespace {

using Cap = Places::Cap;

TEST(Places, TheOwnersCapIsAskedFirstThenTheDaemonsThenTheCallers) {
  Places places({.max = 2, .per_caller = 2, .per_owner = 1});
  EXPECT_EQ(places.FullFor("a", "x"), std::nullopt);
  places.Take("a", "x");
  EXPECT_EQ(places.FullFor("a", "x"), Cap::kOwner);
  EXPECT_EQ(places.FullFor("a", "y"), std::nullopt);
  places.Take("a", "y");
  EXPECT_EQ(places.FullFor("a", "x"), Cap::kOwner);
  EXPECT_EQ(places.FullFor("a", "z"), Cap::kDaemon);
  EXPECT_EQ(places.FullFor("b", "x"), Cap::kDaemon);
}

TEST(Places, ACallersCapIsItsOwn) {
  Places places({.max = 9, .per_caller = 1});
  places.Take("a", "");
  EXPECT_EQ(places.FullFor("a", ""), Cap::kCaller);
  EXPECT_EQ(places.FullFor("b", ""), std::nullopt);
  places.Give("a");
  EXPECT_EQ(places.FullFor("a", ""), std::nullopt);
}

TEST(Places, OwnersOfTwoCallersNeverMeetAndTheEmptyOneHasNoCap) {
  Places places({.max = 9, .per_owner = 1});
  places.Take("a", "x");
  EXPECT_EQ(places.FullFor("b", "x"), std::nullopt);
  places.Take("a", "");
  EXPECT_EQ(places.FullFor("a", ""), std::nullopt);
}

TEST(Places, AnOwnersPlaceComesBackBeforeTheSandboxIsGone) {
  Places places({.max = 1, .per_owner = 1});
  places.Take("a", "x");
  places.GiveOwners("a", "x");
  EXPECT_EQ(places.FullFor("a", "x"), Cap::kDaemon);
  places.Give("a");
  EXPECT_EQ(places.FullFor("a", "x"), std::nullopt);
}

TEST(Places, WithoutAMaximumThereIsNone) {
  EXPECT_EQ(Places({}).FullFor("a", ""), Cap::kDaemon);
  EXPECT_EQ(Places({.max = 3}).Refuse(Cap::kDaemon).message, "capacity: all 3 sessions of this daemon are open");
}

}  // namespace
}  // namespace plimsoll::admission
