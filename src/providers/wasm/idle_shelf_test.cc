#include "providers/wasm/idle_shelf.h"

#include <gtest/gtest.h>

#include <optional>

namespace plimsoll::wasm {
namespace {

TEST(IdleShelf, WAS1_NeverGivesAUsedWorkerToAnotherPrincipal) {
  IdleShelf shelf(10);
  shelf.PutUsed(1, "alice");
  EXPECT_EQ(shelf.Take("bob"), std::nullopt);
  EXPECT_EQ(shelf.Take(""), std::nullopt);
  EXPECT_EQ(shelf.Take("alice2"), std::nullopt);
  EXPECT_EQ(shelf.Take("alice"), 1U);
  EXPECT_EQ(shelf.Take("alice"), std::nullopt);
}

TEST(IdleShelf, PrefersThePrincipalsOwnYoungestThenTheYoungestFresh) {
  IdleShelf shelf(10);
  shelf.PutUsed(1, "alice");
  shelf.PutUsed(2, "alice");
  shelf.PutFresh(3);
  shelf.PutFresh(4);
  EXPECT_EQ(shelf.fresh(), 2U);
  EXPECT_EQ(shelf.Take("alice"), 2U);
  EXPECT_EQ(shelf.Take("alice"), 1U);
  EXPECT_EQ(shelf.Take("alice"), 4U);
  EXPECT_EQ(shelf.Take("bob"), 3U);
  EXPECT_EQ(shelf.size(), 0U);
  EXPECT_EQ(shelf.fresh(), 0U);
}

TEST(IdleShelf, WAS6_LetsTheLongestUnusedGoFirstAndFreshOnesLast) {
  IdleShelf shelf(2);
  shelf.PutFresh(1);
  shelf.PutUsed(2, "alice");
  EXPECT_EQ(shelf.TakeOverflow(), std::nullopt);
  shelf.PutUsed(3, "bob");
  EXPECT_EQ(shelf.TakeOverflow(), 2U);
  EXPECT_EQ(shelf.TakeOverflow(), std::nullopt);
  shelf.PutFresh(4);
  EXPECT_EQ(shelf.TakeOverflow(), 3U);
  shelf.PutFresh(5);
  EXPECT_EQ(shelf.TakeOverflow(), 1U);
}

TEST(IdleShelf, RemovesAWorkerWhereverItStands) {
  IdleShelf shelf(10);
  shelf.PutFresh(1);
  shelf.PutUsed(2, "alice");
  shelf.PutFresh(3);
  shelf.Remove(1);
  shelf.Remove(2);
  shelf.Remove(99);
  EXPECT_EQ(shelf.size(), 1U);
  EXPECT_EQ(shelf.fresh(), 1U);
  EXPECT_EQ(shelf.TakeAny(), 3U);
  EXPECT_EQ(shelf.TakeAny(), std::nullopt);
}

}  // namespace
}  // namespace plimsoll::wasm
