#include "rpc/decode_slots.h"

#include <gtest/gtest.h>

#include <optional>

namespace plimsoll::rpc {
namespace {

TEST(DecodeSlots, OneCallerHoldsHalfAndAllTogetherTheWhole) {
  DecodeSlots slots(4);
  auto a1 = slots.Take("a");
  auto a2 = slots.Take("a");
  ASSERT_TRUE(a1 && a2);
  EXPECT_FALSE(slots.Take("a"));
  const auto b1 = slots.Take("b");
  const auto c1 = slots.Take("c");
  ASSERT_TRUE(b1 && c1);
  EXPECT_FALSE(slots.Take("d"));
  a1->Release();
  EXPECT_TRUE(slots.Take("d"));
  EXPECT_TRUE(slots.Take("a"));
}

TEST(DecodeSlots, ThereIsAlwaysOneForACaller) {
  DecodeSlots slots(1);
  const auto only = slots.Take("a");
  EXPECT_TRUE(only);
  EXPECT_FALSE(slots.Take("b"));
}

TEST(DecodeSlots, ASlotMayOutliveThem) {
  std::optional<base::Cleanup> held;
  {
    DecodeSlots slots(2);
    held = slots.Take("a");
  }
  held->Release();
}

}  // namespace
}  // namespace plimsoll::rpc
