#include "os/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <utility>

namespace plimsoll::os {
namespace {

UniqueFd OpenNull() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

TEST(UniqueFd, ClosesWhatItOwnsWhenDestroyed) {
  int number = -1;
  {
    const UniqueFd fd = OpenNull();
    number = fd.get();
    ASSERT_TRUE(IsOpenDescriptor(number));
  }
  EXPECT_FALSE(IsOpenDescriptor(number));
}

TEST(UniqueFd, GivesItsDescriptorAwayWhenMoved) {
  UniqueFd first = OpenNull();
  const int number = first.get();
  UniqueFd second = std::move(first);
  EXPECT_FALSE(first.is_open());  // NOLINT(bugprone-use-after-move): what a move leaves is the subject
  EXPECT_EQ(second.get(), number);
  EXPECT_TRUE(IsOpenDescriptor(number));
}

TEST(UniqueFd, ClosesTheOldDescriptorWhenAnotherIsAssigned) {
  UniqueFd first = OpenNull();
  UniqueFd second = OpenNull();
  const int old = first.get();
  const int kept = second.get();
  first = std::move(second);
  EXPECT_FALSE(IsOpenDescriptor(old));
  EXPECT_EQ(first.get(), kept);
}

TEST(UniqueFd, MayBeClosedTwice) {
  UniqueFd fd = OpenNull();
  fd.Close();
  fd.Close();
  EXPECT_FALSE(fd.is_open());
}

}  // namespace
}  // namespace plimsoll::os
