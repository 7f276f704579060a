#include "providers/docker/environment.h"

#include <gtest/gtest.h>

namespace plimsoll::docker {
namespace {

using Entries = std::vector<std::string>;
constexpr const char* kId = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

TEST(GuestEnvironment, HasThePathAndTheHostNameOfItsContainer) {
  EXPECT_EQ(GuestEnvironment(kId, {}, {}),
            (Entries{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOSTNAME=0123456789ab"}));
}

TEST(GuestEnvironment, TheImageWinsOverTheDefaultsAndTheRunOverTheImage) {
  EXPECT_EQ(GuestEnvironment(kId, {"PATH=/opt/bin", "A=image", "B=image"}, {"B=run", "C=run"}),
            (Entries{"PATH=/opt/bin", "HOSTNAME=0123456789ab", "A=image", "B=run", "C=run"}));
}

TEST(GuestEnvironment, ANameIsThereOnceAndItsLastValueHolds) {
  EXPECT_EQ(GuestEnvironment(kId, {"A=1", "A=2=3"}, {}).back(), "A=2=3");
  EXPECT_EQ(GuestEnvironment(kId, {"A=1", "A=2=3"}, {}).size(), 3U);
}

}  // namespace
}  // namespace plimsoll::docker
