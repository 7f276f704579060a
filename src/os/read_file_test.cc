#include "os/read_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::os {
namespace {

using testing::HasSubstr;

std::string Fresh(const std::string& name) {
  std::string path = testing::TempDir() + "plimsoll-read-file-" + name;
  std::filesystem::remove_all(path);
  return path;
}

TEST(ReadFile, ReadsAWholeFileUpToItsBound) {
  const std::string path = Fresh("whole");
  const std::string content = std::string(40'000, 'x') + '\0' + "y";
  std::ofstream(path, std::ios::binary) << content;
  EXPECT_EQ(ReadFile(path, content.size()).value(), content);
  const auto longer = ReadFile(path, content.size() - 1);
  ASSERT_FALSE(longer);
  EXPECT_THAT(std::string(base::TextOf(longer.error())), HasSubstr("more than 40001 bytes"));
}

TEST(ReadFile, TellsAMissingFileFromOneItCannotRead) {
  const std::string path = Fresh("missing");
  EXPECT_EQ(ReadFile(path, 10).value(), std::nullopt);
  EXPECT_EQ(ReadFile("/etc/passwd/below", 10).value(), std::nullopt);
  EXPECT_FALSE(ReadFile(testing::TempDir(), 10));
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(ReadFile(path, 10));  // and does not hang
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace plimsoll::os
