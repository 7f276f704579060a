#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>

#include "os/executable.h"
#include "os/system_clock.h"
#include "os/system_random.h"

namespace plimsoll::os {
namespace {

TEST(SystemClock, TellsTheCalendarAndATimeThatOnlyMovesForward) {
  const SystemClock clock;
  EXPECT_GT(clock.Wall(), base::WallTime(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1)));
  const auto first = clock.Steady();
  EXPECT_LE(first, clock.Steady());
}

TEST(SystemRandom, FillsEveryByteAnewEachTime) {
  SystemRandom random;
  std::array<std::byte, 64> first{};
  std::array<std::byte, 64> second{};
  random.Fill(first);
  random.Fill(second);
  EXPECT_NE(first, second);
  // 32 zero bytes in a row come by chance once in 2^256 draws.
  EXPECT_FALSE(std::all_of(first.begin() + 32, first.end(), [](std::byte byte) { return byte == std::byte{0}; }));
  random.Fill({});
}

TEST(OwnExecutable, IsThisTestAndExecutable) {
  const auto path = OwnExecutable();
  ASSERT_TRUE(path);
  EXPECT_EQ(std::filesystem::path(*path).filename(), "os_test");
  EXPECT_TRUE(IsExecutableFile(*path));
}

TEST(IsExecutableFile, IsFalseForAFolderAPlainFileAndNothing) {
  EXPECT_FALSE(IsExecutableFile("/usr"));
  EXPECT_FALSE(IsExecutableFile("/proc/self/status"));
  EXPECT_FALSE(IsExecutableFile("/nonexistent"));
}

}  // namespace
}  // namespace plimsoll::os
