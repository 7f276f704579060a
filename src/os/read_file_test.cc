#include "os/read_file.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testkit/temp_folder.h"

namespace plimsoll::os {
namespace {

using testing::HasSubstr;

TEST(ReadFile, ReadsAWholeFileUpToItsBound) {
  const testkit::TempFolder folder;
  const std::string content = std::string(40'000, 'x') + '\0' + "y";
  const std::string path = folder.Write("whole", content);
  EXPECT_EQ(ReadFile(path, content.size()).value(), content);
  const auto longer = ReadFile(path, content.size() - 1);
  ASSERT_FALSE(longer);
  EXPECT_THAT(std::string(base::TextOf(longer.error())), HasSubstr("more than 40001 bytes"));
}

TEST(ReadFile, TellsAMissingFileFromOneItCannotRead) {
  const testkit::TempFolder folder;
  const std::string path = folder.Path("missing");
  EXPECT_EQ(ReadFile(path, 10).value(), std::nullopt);
  EXPECT_EQ(ReadFile("/etc/passwd/below", 10).value(), std::nullopt);
  EXPECT_FALSE(ReadFile(folder.path(), 10));
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(ReadFile(path, 10));  // and does not hang
}

}  // namespace
}  // namespace plimsoll::os
