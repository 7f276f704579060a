#include "os/file_standing.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace plimsoll::os {
namespace {

class Folder {
 public:
  Folder() : path_(::testing::TempDir() + "/plimsoll-standing-XXXXXX") { EXPECT_NE(::mkdtemp(path_.data()), nullptr); }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

FileStanding Standing(const std::string& path) { return StandingOf(path).value().value(); }

TEST(FileStanding, TellsOwnerAndPermissions) {
  const Folder folder;
  const std::string path = folder.path() + "/file";
  std::ofstream(path) << "one";
  for (const mode_t mode : {0754U, 04711U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_EQ(Standing(path).permissions, mode);
  }
  EXPECT_EQ(Standing(path).owner, OwnUid());
}

TEST(FileStanding, ChangesItsVersionWithTheFile) {
  const Folder folder;
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
  const Folder folder;
  EXPECT_FALSE(StandingOf(folder.path() + "/absent").value().has_value());
  EXPECT_FALSE(StandingOf("/dev/null/below").value().has_value());
  EXPECT_NE(base::FaultIn(StandingOf(folder.path())), nullptr);
  EXPECT_NE(base::FaultIn(StandingOf("/dev/null")), nullptr);
}

}  // namespace
}  // namespace plimsoll::os
