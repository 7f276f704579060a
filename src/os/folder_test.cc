#include "os/folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "os/system_random.h"
#include "testkit/temp_folder.h"

namespace plimsoll::os {
namespace {

namespace fs = std::filesystem;

class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    fs::create_directories(root_ / "in");
    Put(root_ / "secret", "outside");
  }

  static void Put(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }
  static std::string Get(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Folder In() { return Folder::Open((root_ / "in").string()).value(); }

  const testkit::TempFolder folder_;
  const fs::path root_ = folder_.path();
  SystemRandom random_;
};

TEST_F(FolderTest, ListsWhatIsThereByKindAndName) {
  Put(root_ / "in/b", "");
  fs::create_directory(root_ / "in/a");
  fs::create_symlink("../secret", root_ / "in/c");
  ASSERT_EQ(::mkfifo((root_ / "in/d").c_str(), 0600), 0);
  const auto entries = In().List(4);
  ASSERT_TRUE(entries) << base::TextOf(entries.error());
  ASSERT_EQ(entries->size(), 4U);
  const FileKind kinds[] = {FileKind::kDirectory, FileKind::kFile, FileKind::kLink, FileKind::kOther};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ((*entries)[i].name, std::string(1, static_cast<char>('a' + i)));
    EXPECT_EQ((*entries)[i].kind, kinds[i]);
  }
  EXPECT_FALSE(In().List(3));
}

TEST_F(FolderTest, ReadsAFileUpToOneByteMoreThanTheLimit) {
  Put(root_ / "in/f", "12345");
  EXPECT_EQ(In().ReadFile("f", 5).value(), "12345");
  EXPECT_EQ(In().ReadFile("f", 4).value(), "12345");
  EXPECT_EQ(In().ReadFile("f", 3).value(), "1234");
  EXPECT_FALSE(In().ReadFile("absent", 5));
}

TEST_F(FolderTest, OS11_FollowsNoLinkAndNoNameThatLeadsOut) {
  fs::create_symlink("../secret", root_ / "in/link");
  fs::create_directory_symlink("..", root_ / "in/up");
  ASSERT_EQ(::mkfifo((root_ / "in/fifo").c_str(), 0600), 0);
  EXPECT_FALSE(In().ReadFile("link", 100));
  EXPECT_FALSE(In().ReadFile("fifo", 100));  // and does not wait for a writer
  EXPECT_FALSE(In().Below("up"));
  EXPECT_FALSE(In().BelowOrMake("up"));
  for (const char* name : {"", ".", "..", "../secret", "a/b", "/etc"}) {
    EXPECT_FALSE(In().Below(name)) << name;
    EXPECT_FALSE(In().BelowOrMake(name)) << name;
    EXPECT_FALSE(In().ReadFile(name, 100)) << name;
    EXPECT_FALSE(In().WriteFile(name, "x", random_)) << name;
  }
  EXPECT_EQ(Get(root_ / "secret"), "outside");
}

TEST_F(FolderTest, OS11_ReplacesALinkAndDoesNotWriteThroughIt) {
  fs::create_symlink("../secret", root_ / "in/f");
  fs::create_hard_link(root_ / "secret", root_ / "in/g");
  ASSERT_TRUE(In().WriteFile("f", "new", random_));
  ASSERT_TRUE(In().WriteFile("g", "new", random_));
  EXPECT_EQ(Get(root_ / "secret"), "outside");
  EXPECT_EQ(Get(root_ / "in/f"), "new");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(root_ / "in/f")));
}

TEST_F(FolderTest, WritesWholeOrNotAtAll) {
  Put(root_ / "in/f", "old");
  ASSERT_TRUE(In().WriteFile("f", std::string("a\0b", 3), random_));
  EXPECT_EQ(Get(root_ / "in/f"), std::string("a\0b", 3));
  fs::create_directory(root_ / "in/taken");
  EXPECT_FALSE(In().WriteFile("taken", "x", random_));
  EXPECT_EQ(In().List(10)->size(), 2U);  // no part is left
}

TEST_F(FolderTest, MakesWhatIsMissingOneLevelAtATime) {
  const auto made = Folder::OpenOrMake((root_ / "out").string());
  ASSERT_TRUE(made);
  ASSERT_TRUE(made->BelowOrMake("a"));
  ASSERT_TRUE(made->BelowOrMake("a"));
  EXPECT_TRUE(fs::is_directory(root_ / "out/a"));
  EXPECT_FALSE(Folder::OpenOrMake((root_ / "x/y").string()));
  EXPECT_FALSE(Folder::OpenOrMake((root_ / "secret").string()));
}

}  // namespace
}  // namespace plimsoll::os
