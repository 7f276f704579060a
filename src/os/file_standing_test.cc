#include "os/file_standing.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "testkit/temp_folder.h"

namespace plimsoll::os {
namespace {

FileStanding Standing(const std::string& path) { return StandingOf(path).value().value(); }

TEST(FileStanding, TellsOwnerAndPermissions) {
  const testkit::TempFolder folder;
  const std::string path = folder.path() + "/file";
  std::ofstream(path) << "one";
  for (const mode_t mode : {0754U, 04711U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_EQ(Standing(path).permissions, mode);
  }
  EXPECT_EQ(Standing(path).owner, OwnUid());
}

TEST(FileStanding, ChangesItsVersionWithTheFile) {
  const testkit::TempFolder folder;
  const std::string path = folder.path() + "/file";
  std::ofstream(path) << "one";
  const FileStanding before = Standing(path);
  EXPECT_EQ(Standing(path), before);
  std::ofstream(path) << "other";
  EXPECT_NE(Standing(path).version, before.version);
  const FileStanding written = Standing(path);
  std::ofstream(folder.path() + "/new") << "other";
  std::filesystem::rename(folder.path() + "/new", path);
  EXPECT_NE(Standing(path).version, written.version);
}

TEST(FileStanding, IsNothingForNoFileAndAFaultForAnotherKind) {
  const testkit::TempFolder folder;
  EXPECT_FALSE(StandingOf(folder.path() + "/absent").value().has_value());
  EXPECT_FALSE(StandingOf("/dev/null/below").value().has_value());
  EXPECT_NE(base::FaultIn(StandingOf(folder.path())), nullptr);
  EXPECT_NE(base::FaultIn(StandingOf("/dev/null")), nullptr);
}

}  // namespace
}  // namespace plimsoll::os
