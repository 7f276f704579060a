#include <gtest/gtest.h>

#include <pthread.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "os/executable.h"
#include "os/system_clock.h"
#include "os/system_random.h"
#include "os/thread_name.h"

namespace plimsoll::os {
namespace {

TEST(SystemClock, TellsTheCalendarAndATimeThatOnlyMovesForward) {
  const SystemClock clock;
  EXPECT_GT(clock.Wall(), base::WallTime(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1)));
  const auto first = clock.Steady();
  EXPECT_LE(first, clock.Steady());
}

TEST(NameThisThread, NamesTheCallingThreadAloneAndCutsWhatIsTooLong) {
  const auto name = [] {
    std::array<char, 16> text{};
    EXPECT_EQ(::pthread_getname_np(::pthread_self(), text.data(), text.size()), 0);
    return std::string(text.data());
  };
  const std::string before = name();
  std::jthread([&] {
    NameThisThread("a-name-of-more-than-15-bytes");
    EXPECT_EQ(name(), "a-name-of-more-");
  }).join();
  EXPECT_EQ(name(), before);
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
