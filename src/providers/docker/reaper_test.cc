#include "providers/docker/reaper.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "providers/docker/testing/memory_engine.h"
#include "testkit/capture_log.h"
#include "testkit/temp_folder.h"

namespace plimsoll::docker {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using Kind = EngineError::Kind;

constexpr std::int64_t kExpires = 1'700'000'000;
const std::string kLabel(kExpiresLabel);

base::WallTime At(std::chrono::microseconds after) { return base::WallTime(std::chrono::seconds(kExpires)) + after; }

const http::Bounds kBounds{.deadline = base::SteadyTime::max()};

struct Reaping {
  std::string Add(std::string name, std::string expires) {
    return engine.Add({.name = std::move(name), .labels = {{kLabel, std::move(expires)}}});
  }
  std::size_t At(base::WallTime now) {
    const auto removed = Reap(engine, leases, now, kBounds, log);
    PLIMSOLL_CHECK(removed.has_value());
    return *removed;
  }

  MemoryEngine engine;
  Leases leases;
  testkit::CaptureLog log;
};

TEST(Leases, HoldWhatWasTrackedUntilItIsForgotten) {
  Leases leases;
  EXPECT_FALSE(leases.Holds("plimsoll-a"));
  leases.Track("plimsoll-a");
  leases.Track("plimsoll-a");
  EXPECT_TRUE(leases.Holds("plimsoll-a"));
  EXPECT_FALSE(leases.Holds("plimsoll-"));
  leases.Forget("plimsoll-b");
  leases.Forget("plimsoll-a");
  EXPECT_FALSE(leases.Holds("plimsoll-a"));
}

TEST(Reaper, P65_RemovesOnlyWhatIsMoreThanFiveMinutesPast) {
  Reaping reaping;
  reaping.Add("plimsoll-a", std::to_string(kExpires));
  EXPECT_EQ(reaping.At(At(-1h)), 0U);
  EXPECT_EQ(reaping.At(At(0s)), 0U);
  EXPECT_EQ(reaping.At(At(5min)), 0U);
  EXPECT_THAT(reaping.engine.Removals(), IsEmpty());
  EXPECT_EQ(reaping.At(At(5min + 1us)), 1U);
  EXPECT_THAT(reaping.engine.Names(), IsEmpty());
}

TEST(Reaper, P65_NeverTouchesWhatThisProcessHolds) {
  Reaping reaping;
  reaping.Add("plimsoll-held", "1");
  reaping.Add("plimsoll-left", "1");
  reaping.leases.Track("plimsoll-held");
  EXPECT_EQ(reaping.At(At(0s)), 1U);
  EXPECT_THAT(reaping.engine.Removals(), ElementsAre("plimsoll-left"));
  reaping.leases.Forget("plimsoll-held");
  EXPECT_EQ(reaping.At(At(0s)), 1U);
}

TEST(Reaper, P65_NeverTouchesWhatAnotherDaemonStillUses) {
  Reaping reaping;
  reaping.Add("plimsoll-other-live", std::to_string(kExpires + 60));
  reaping.Add("crsbx-other-product", "1");  // the label alone decides, not the name
  reaping.engine.Add({.name = "plimsoll-unlabelled", .labels = {}});
  EXPECT_EQ(reaping.At(At(5min + 1s)), 1U);
  EXPECT_THAT(reaping.engine.Names(), ElementsAre("plimsoll-other-live", "plimsoll-unlabelled"));
}

TEST(Reaper, P65_LeavesLabelsAloneThatAreNoTime) {
  Reaping reaping;
  for (const char* label :
       {"", " 1", "1 ", "+1", "-1", "01", "0x1", "1.5", "1e3", "1s", "never", "9999999999999", "\xD9\xA1"}) {
    EXPECT_EQ(ParseExpiry(label), std::nullopt) << label;
    reaping.Add("plimsoll-x", label);
  }
  EXPECT_EQ(reaping.At(base::WallTime::max()), 0U);
  EXPECT_THAT(reaping.engine.Removals(), IsEmpty());
  EXPECT_EQ(ParseExpiry("0"), base::WallTime());
  EXPECT_EQ(ParseExpiry("1700000000"), At(0s));
  EXPECT_EQ(ParseExpiry("999999999999"), base::WallTime(999'999'999'999s));
}

TEST(Reaper, GoesOnAfterOneThatCannotBeRemovedAndCountsWhatIsGone) {
  Reaping reaping;
  reaping.engine.Add(
      {.name = "plimsoll-stuck",
       .labels = {{kLabel, "1"}},
       .removal = EngineError{
           .kind = Kind::kConflict, .sent = http::Sent::kMaybe, .status = 409, .detail = "removal is in progress"}});
  // Answered as gone and still there: what is counted is what a listing shows.
  reaping.engine.Add({.name = "plimsoll-vanished",
                      .labels = {{kLabel, "1"}},
                      .removal = EngineError{.kind = Kind::kNotFound, .sent = http::Sent::kMaybe, .status = 404}});
  reaping.Add("plimsoll-b", "1");
  EXPECT_EQ(reaping.At(At(0s)), 1U);
  EXPECT_THAT(reaping.engine.Names(), ElementsAre("plimsoll-stuck", "plimsoll-vanished"));
  EXPECT_TRUE(reaping.log.Contains("an expired container could not be removed"));
  EXPECT_TRUE(reaping.log.Contains("removal is in progress"));
}

TEST(Reaper, StopsAtAnEngineThatIsGone) {
  Reaping reaping;
  reaping.engine.Add({.name = "plimsoll-a",
                      .labels = {{kLabel, "1"}},
                      .removal = EngineError{.kind = Kind::kUnreachable, .sent = http::Sent::kMaybe}});
  reaping.Add("plimsoll-b", "1");
  EXPECT_EQ(reaping.At(At(0s)), 0U);
  EXPECT_THAT(reaping.engine.Removals(), ElementsAre("plimsoll-a"));
}

TEST(Reaper, SaysWhenItCannotList) {
  const auto fault = [](Kind kind) {
    Reaping reaping;
    reaping.engine.FailListings({.kind = kind, .sent = http::Sent::kNothing});
    const auto removed = Reap(reaping.engine, reaping.leases, At(0s), kBounds, reaping.log);
    return base::FaultIn(removed) == nullptr ? base::FaultKind::kInternal : base::FaultIn(removed)->kind;
  };
  EXPECT_EQ(fault(Kind::kUnreachable), base::FaultKind::kUnavailable);
  EXPECT_EQ(fault(Kind::kMalformed), base::FaultKind::kUnavailable);
  EXPECT_EQ(fault(Kind::kDeadline), base::FaultKind::kDeadline);
  EXPECT_EQ(fault(Kind::kCanceled), base::FaultKind::kCanceled);
}

TEST(Reaper, P65_RemovesHostDirectoriesOlderThanAMinute) {
  namespace fs = std::filesystem;
  const testkit::TempFolder folder;
  const std::string& root = folder.path();
  const std::string left = root + "/" + std::string(kHostDirPrefix) + std::string(32, '0');
  fs::create_directories(left);
  fs::permissions(left, fs::perms::owner_all);
  const auto modified = std::chrono::time_point_cast<std::chrono::microseconds>(
      std::chrono::file_clock::to_sys(fs::last_write_time(left)));
  EXPECT_EQ(ReapHostDirectories(root, modified + 1min).value(), 0U);
  EXPECT_EQ(ReapHostDirectories(root, modified + 1min + 2us).value(), 1U);
  EXPECT_FALSE(ReapHostDirectories(root + "/none", modified));
}

// The variable is the operator's: one that names nothing must not end the daemon.
TEST(Reaper, KeepsHostDirectoriesWhereTMPDIRSaysOrInTmp) {
  const testkit::TempFolder folder;
  const std::string named = folder.Path("named");
  std::filesystem::create_directory(named);
  ASSERT_EQ(setenv("TMPDIR", named.c_str(), 1), 0);
  EXPECT_EQ(HostDirRoot(), named);
  std::filesystem::remove_all(named);
  EXPECT_EQ(HostDirRoot(), "/tmp");
  unsetenv("TMPDIR");
  EXPECT_EQ(HostDirRoot(), "/tmp");
}

}  // namespace
}  // namespace plimsoll::docker
