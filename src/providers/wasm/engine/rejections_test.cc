#include "providers/wasm/engine/rejections.h"

#include <gtest/gtest.h>

namespace plimsoll::wasm {
namespace {

TEST(Rejections, AreEmptyAgainWhenEachWasHandledWhateverTheOrder) {
  Rejections list;
  for (std::uint64_t i = 0; i < 2 * Rejections::kMost; ++i) {
    EXPECT_EQ(list.Add({.promise = i, .promise_handle = 1, .reason_handle = 2}), i < Rejections::kMost);
  }
  Rejections::Entry entry{};
  for (std::uint64_t i = 2 * Rejections::kMost; i-- > 0;) {
    EXPECT_FALSE(list.empty());
    list.Remove(i, entry);
  }
  EXPECT_TRUE(list.empty());
}

TEST(Rejections, NameTheOldestThatIsLeft) {
  Rejections list;
  Rejections::Entry entry{};
  EXPECT_EQ(list.first(), nullptr);
  list.Add({.promise = 7, .promise_handle = 1, .reason_handle = 70});
  list.Add({.promise = 8, .promise_handle = 2, .reason_handle = 80});
  EXPECT_TRUE(list.Remove(7, entry));
  EXPECT_EQ(entry.reason_handle, 70U);
  EXPECT_EQ(list.first()->reason_handle, 80U);
  EXPECT_FALSE(list.Remove(7, entry));
}

}  // namespace
}  // namespace plimsoll::wasm
