#include "os/host_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>

#include "os/local_listener.h"
#include "os/socket_pair.h"

namespace plimsoll::os {
namespace {

ScratchFolder Scratch() { return ScratchFolder::Create("plimsoll-os-test-").value(); }

void Write(const std::string& path, std::string_view content) { std::ofstream(path) << content; }

FileProblem::Kind ProblemOf(const std::string& path, std::size_t limit) {
  const auto read = ReadRegularFile(path, limit);
  EXPECT_TRUE(std::holds_alternative<FileProblem>(read)) << path;
  return std::get<FileProblem>(read).kind;
}

TEST(ReadRegularFile, GivesTheWholeFileUpToTheLimit) {
  const ScratchFolder folder = Scratch();
  const std::string path = folder.path() + "/file";
  const std::string content(200'000, 'x');
  Write(path, content);
  EXPECT_EQ(std::get<std::string>(ReadRegularFile(path, content.size())), content);
  EXPECT_EQ(ProblemOf(path, content.size() - 1), FileProblem::Kind::kTooLong);
  Write(path, "");
  EXPECT_EQ(std::get<std::string>(ReadRegularFile(path, 0)), "");
}

TEST(ReadRegularFile, NeverWaitsForWhatIsNoFile) {
  const ScratchFolder folder = Scratch();
  const std::string pipe = folder.path() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(ProblemOf(pipe, 100), FileProblem::Kind::kNotRegular);
  EXPECT_EQ(ProblemOf(folder.path(), 100), FileProblem::Kind::kNotRegular);
  EXPECT_EQ(ProblemOf("/dev/zero", 100), FileProblem::Kind::kNotRegular);
  EXPECT_EQ(ProblemOf(folder.path() + "/absent", 100), FileProblem::Kind::kMissing);
  EXPECT_EQ(ProblemOf(pipe + "/below", 100), FileProblem::Kind::kMissing);
}

TEST(ReadRegularFile, ReadsWhatTheKernelMakesAsItGoes) {
  EXPECT_FALSE(std::get<std::string>(ReadRegularFile("/proc/self/status", 65536)).empty());
}

TEST(StandingOf, TellsOwnerPermissionsAndChange) {
  const ScratchFolder folder = Scratch();
  const std::string path = folder.path() + "/file";
  Write(path, "one");
  ASSERT_EQ(::chmod(path.c_str(), 0754), 0);
  const auto before = std::get<FileStanding>(StandingOf(path));
  EXPECT_EQ(before.owner, OwnUid());
  EXPECT_EQ(before.permissions, 0754U);
  EXPECT_TRUE(before.file_system_runs_programs);
  EXPECT_EQ(before, std::get<FileStanding>(StandingOf(path)));
  Write(path, "other");
  EXPECT_NE(before.version, std::get<FileStanding>(StandingOf(path)).version);
  EXPECT_EQ(std::get<FileProblem>(StandingOf(folder.path())).kind, FileProblem::Kind::kNotRegular);
}

TEST(ScratchFolder, IsPrivateAndGoesWithWhatIsInIt) {
  std::string path;
  {
    const ScratchFolder folder = Scratch();
    path = folder.path();
    struct stat info = {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777U, 0700U);
    Write(path + "/file", "x");
  }
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

TEST(LocalListener, AcceptsWhoeverCanReachItsName) {
  const ScratchFolder folder = Scratch();
  auto listener = LocalListener::Create(folder.path() + "/socket");
  ASSERT_TRUE(listener.has_value());
  EXPECT_FALSE(listener->Accept(std::chrono::milliseconds(1)).is_open());
  const UniqueFd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  (folder.path() + "/socket").copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  const UniqueFd peer = listener->Accept(std::chrono::seconds(5));
  ASSERT_TRUE(peer.is_open());
  EXPECT_EQ(Send(peer.get(), "x").state, Transfer::kMoved);
  struct stat info = {};
  ASSERT_EQ(::stat((folder.path() + "/socket").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0666U);
}

TEST(LocalListener, RefusesANameThatIsTakenOrTooLong) {
  const ScratchFolder folder = Scratch();
  const std::string path = folder.path() + "/socket";
  const auto first = LocalListener::Create(path);
  EXPECT_TRUE(first.has_value());
  EXPECT_FALSE(LocalListener::Create(path).has_value());
  EXPECT_FALSE(LocalListener::Create(folder.path() + "/" + std::string(120, 'x')).has_value());
}

}  // namespace
}  // namespace plimsoll::os
