#include <gtest/gtest.h>

#include <array>
#include <chrono>

#include "testkit/capture_log.h"
#include "testkit/fake_clock.h"
#include "testkit/fake_random.h"
#include "testkit/temp_folder.h"

namespace plimsoll::testkit {
namespace {

TEST(FakeClock, MovesOnlyWhenToldTo) {
  FakeClock clock;
  const auto wall = clock.Wall();
  const auto steady = clock.Steady();
  EXPECT_EQ(clock.Steady(), steady);
  clock.Advance(std::chrono::seconds(3));
  EXPECT_EQ(clock.Wall() - wall, std::chrono::seconds(3));
  EXPECT_EQ(clock.Steady() - steady, std::chrono::seconds(3));
  clock.SetWall(wall - std::chrono::hours(1));
  EXPECT_EQ(clock.Wall(), wall - std::chrono::hours(1));
  EXPECT_EQ(clock.Steady() - steady, std::chrono::seconds(3));
}

TEST(FakeRandom, RepeatsItselfForASeedAndDiffersBetweenSeeds) {
  std::array<std::byte, 16> first{};
  std::array<std::byte, 16> again{};
  std::array<std::byte, 16> other{};
  FakeRandom(7).Fill(first);
  FakeRandom(7).Fill(again);
  FakeRandom(8).Fill(other);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
}

TEST(CaptureLog, KeepsEveryRecordAsText) {
  CaptureLog log;
  const std::array<base::LogField, 4> fields = {
      {{"name", std::string_view("alice")}, {"count", std::int64_t{-3}}, {"share", 0.5}, {"well", true}}};
  log.Write(base::Severity::kWarn, "a thing happened", fields);
  ASSERT_EQ(log.Records().size(), 1U);
  EXPECT_EQ(log.Records()[0].severity, base::Severity::kWarn);
  EXPECT_EQ(log.Records()[0].text, "a thing happened name=alice count=-3 share=0.5 well=true");
  EXPECT_TRUE(log.Contains("name=alice"));
  EXPECT_FALSE(log.Contains("name=bob"));
}

TEST(TempFolder, IsItsOwnersAloneAndGoesWithAllItHolds) {
  std::string path;
  {
    const TempFolder folder;
    const TempFolder other;
    path = folder.path();
    EXPECT_NE(path, other.path());
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
    std::filesystem::create_directory(folder.Path("in"));
    EXPECT_EQ(std::filesystem::file_size(folder.Write("in/file", "four")), 4U);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace plimsoll::testkit
