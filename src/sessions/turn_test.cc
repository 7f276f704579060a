#include "sessions/turn.h"

#include <gtest/gtest.h>

namespace plimsoll::sessions {
namespace {

TEST(Turn, OneHoldsItAndOneWaits) {
  Turn turn;
  EXPECT_TRUE(turn.free());
  EXPECT_TRUE(turn.Take());
  EXPECT_FALSE(turn.Take());
  bool granted = false;
  EXPECT_TRUE(turn.Wait([&] { granted = true; }));
  EXPECT_FALSE(turn.Wait([] {}));
  auto next = turn.Give();
  ASSERT_TRUE(next);
  EXPECT_FALSE(turn.free());
  next();
  EXPECT_TRUE(granted);
  EXPECT_FALSE(turn.Give());
  EXPECT_TRUE(turn.free());
}

TEST(Turn, WhoLeavesIsNotGrantedAndMakesRoom) {
  Turn turn;
  turn.Take();
  const auto ticket = turn.Wait([] {});
  ASSERT_TRUE(ticket);
  EXPECT_FALSE(turn.Leave(*ticket + 1));
  EXPECT_TRUE(turn.Leave(*ticket));
  EXPECT_FALSE(turn.Leave(*ticket));
  const auto second = turn.Wait([] {});
  ASSERT_TRUE(second);
  EXPECT_TRUE(turn.Give());
  EXPECT_FALSE(turn.Leave(*second));
}

}  // namespace
}  // namespace plimsoll::sessions
