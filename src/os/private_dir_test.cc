#include "os/private_dir.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/directory.h"
#include "os/system_clock.h"
#include "os/system_random.h"
#include "os/unix_listener.h"
#include "testkit/temp_folder.h"

namespace plimsoll::os {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kPrefix = "plimsoll-host-";

// A root of the test's own, removed at its end.
class PrivateDirs : public testing::Test {
 protected:
  std::unique_ptr<PrivateDir> Make() {
    auto made = PrivateDir::Make(root_, kPrefix, random_);
    PLIMSOLL_CHECK(made.has_value());
    known_.insert((*made)->path());
    return std::move(*made);
  }

  // A directory as a killed process leaves it. Its path.
  std::string LeaveBehind(const std::function<void(PrivateDir&)>& fill = [](PrivateDir&) {}) {
    const pid_t child = ::fork();
    PLIMSOLL_CHECK(child >= 0);
    if (child == 0) {
      const auto made = PrivateDir::Make(root_, kPrefix, random_);
      if (made) {
        fill(**made);
        ::kill(::getpid(), SIGKILL);
      }
      ::_exit(1);
    }
    int status = 0;
    PLIMSOLL_CHECK(::waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    for (const auto& entry : fs::directory_iterator(root_)) {
      const std::string path = entry.path();
      if (entry.path().filename().string().starts_with(kPrefix) && known_.insert(path).second) {
        return path;
      }
    }
    ADD_FAILURE() << "the child left no directory behind";
    return {};
  }

  std::size_t Reap(base::WallTime before = base::WallTime::max()) {
    const auto removed = RemoveAbandoned(root_, kPrefix, before);
    PLIMSOLL_CHECK(removed.has_value());
    return *removed;
  }

  const testkit::TempFolder made_;
  std::string root_ = made_.path();  // what is worked in
  std::set<std::string> known_;
  SystemRandom random_;
};

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

unsigned ModeOf(const std::string& path) {
  struct stat seen = {};
  PLIMSOLL_CHECK(::lstat(path.c_str(), &seen) == 0);
  return seen.st_mode & 07777;
}

TEST_F(PrivateDirs, OS9_IsForItsOwnerAloneAndGoesWithItsContent) {
  const mode_t before = ::umask(0177);  // takes more away than the mode does
  auto dir = Make();
  EXPECT_TRUE(dir->WriteFile("resolv.conf", "nameserver 127.0.0.1\n", 0644));
  const auto socket = dir->Listen("host-api.sock", 0666);
  ::umask(before);
  ASSERT_TRUE(socket);
  const std::string path = dir->path();
  EXPECT_THAT(path, StartsWith(root_ + "/" + kPrefix));
  EXPECT_EQ(ModeOf(path), 0700U);
  EXPECT_EQ(ModeOf(path + "/resolv.conf"), 0644U);
  EXPECT_EQ(ModeOf(path + "/host-api.sock"), 0666U);
  EXPECT_EQ(ContentOf(path + "/resolv.conf"), "nameserver 127.0.0.1\n");
  EXPECT_FALSE(dir->WriteFile("resolv.conf", "again", 0644));
  fs::create_directories(path + "/a/b/c");
  fs::create_directory_symlink(testing::TempDir(), path + "/a/link");

  dir.reset();
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(testing::TempDir()));
}

TEST_F(PrivateDirs, MayBeRemovedTwice) {
  auto dir = Make();
  EXPECT_TRUE(dir->Remove());
  EXPECT_TRUE(dir->Remove());
  EXPECT_FALSE(fs::exists(dir->path()));
}

TEST_F(PrivateDirs, OS9_RefusesARootInWhichOthersCouldSwapIt) {
  ::chmod(root_.c_str(), 0777);
  const auto made = PrivateDir::Make(root_, kPrefix, random_);
  ASSERT_FALSE(made);
  EXPECT_THAT(std::string(base::TextOf(made.error())), HasSubstr("not sticky"));
  ::chmod(root_.c_str(), 01777);
  EXPECT_TRUE(PrivateDir::Make(root_, kPrefix, random_));
  EXPECT_FALSE(PrivateDir::Make(root_ + "/none", kPrefix, random_));
}

TEST_F(PrivateDirs, MakesADirectoryWhereNoSocketsPathWouldFit) {
  root_ += "/" + std::string(100, 'x');
  fs::create_directory(root_);
  const auto dir = Make();
  EXPECT_TRUE(dir->Listen("host-api.sock", 0666));
}

TEST_F(PrivateDirs, P65_RemovesWhatAKilledProcessLeft) {
  const std::string left = LeaveBehind([](PrivateDir& dir) {
    static_cast<void>(dir.WriteFile("resolv.conf", "x", 0644));
    auto socket = dir.Listen("host-api.sock", 0666);
    static_cast<void>(socket);
  });
  EXPECT_TRUE(fs::is_socket(left + "/.owner"));
  EXPECT_TRUE(fs::is_socket(left + "/host-api.sock"));
  EXPECT_EQ(Reap(), 1U);
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(PrivateDirs, P65_KeepsWhatALiveProcessHolds) {
  const auto dir = Make();
  EXPECT_EQ(Reap(), 0U);
  EXPECT_TRUE(fs::exists(dir->path()));
}

TEST_F(PrivateDirs, P65_KeepsALiveOneWhoseSocketHasNoRoomForMore) {
  const auto dir = Make();
  const auto directory = OpenDirectory(dir->path());
  for (int i = 0; i < 100; ++i) {  // far past what waits to be accepted
    EXPECT_EQ(ProbeSocketIn(directory->get(), ".owner"), Listening::kYes);
  }
  EXPECT_EQ(Reap(), 0U);
}

TEST_F(PrivateDirs, P65_KeepsOneWithAnyLiveSocketOfAnother) {
  const std::string left = LeaveBehind();
  const auto directory = OpenDirectory(left);
  auto socket = ListenIn(directory->get(), "broker.sock", 0666);
  ASSERT_TRUE(socket);
  EXPECT_EQ(Reap(), 0U);
  socket->Close();
  EXPECT_EQ(Reap(), 1U);
}

TEST_F(PrivateDirs, P65_KeepsOneWithASocketThatDoesNotPlainlyRefuse) {
  const std::string left = LeaveBehind();
  const UniqueFd other(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = left + "/dgram";
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(other.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(Reap(), 0U);
  EXPECT_TRUE(fs::exists(left));
}

TEST_F(PrivateDirs, P65_KeepsOneThatIsYoungerThanTheLimit) {
  const std::string left = LeaveBehind();
  struct stat seen = {};
  ASSERT_EQ(::stat(left.c_str(), &seen), 0);
  const base::WallTime modified(std::chrono::seconds(seen.st_mtim.tv_sec) +
                                std::chrono::microseconds(seen.st_mtim.tv_nsec / 1000));
  EXPECT_EQ(Reap(modified), 0U);
  EXPECT_EQ(Reap(modified + 1us), 1U);
}

TEST_F(PrivateDirs, P65_RemovesOneLeftWhileItWasMade) {
  fs::create_directory(root_ + "/" + kPrefix + std::string(32, 'a'));
  fs::permissions(root_ + "/" + kPrefix + std::string(32, 'a'), fs::perms::owner_all);
  EXPECT_EQ(Reap(), 1U);
}

TEST_F(PrivateDirs, P65_KeepsWhateverIsNotPlainlyOurs) {
  const auto make = [&](const std::string& name, fs::perms perms = fs::perms::owner_all) {
    fs::create_directory(root_ + "/" + name);
    fs::permissions(root_ + "/" + name, perms);
    return root_ + "/" + name;
  };
  const std::string hex(32, 'b');
  make("plimsoll-checkout");
  make(kPrefix + std::string(31, 'b'));
  make(kPrefix + std::string(33, 'b'));
  make(kPrefix + std::string(31, 'b') + "G");
  make("another-prefix-" + hex);
  make(kPrefix + hex, fs::perms::owner_all | fs::perms::group_read);
  fs::create_directory(make(kPrefix + std::string(32, 'c')) + "/below");
  const std::string target = make("target");
  std::ofstream(target + "/precious") << "x";
  fs::create_directory_symlink(target, root_ + "/" + kPrefix + std::string(32, 'd'));
  std::ofstream(root_ + "/" + kPrefix + std::string(32, 'e')) << "a file";

  EXPECT_EQ(Reap(), 0U);
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 10);
  EXPECT_TRUE(fs::exists(target + "/precious"));
}

TEST_F(PrivateDirs, P65_RemovesLinksAndNotWhatTheyName) {
  const std::string target = root_ + "/precious";
  std::ofstream(target) << "x";
  const auto live = Make();
  const std::string left = LeaveBehind([&](PrivateDir& dir) { fs::create_symlink(target, dir.path() + "/link"); });
  // A link to a live socket says nothing about this directory, and is not followed.
  fs::create_symlink(live->path() + "/.owner", left + "/linked.sock");
  EXPECT_EQ(Reap(), 1U);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(ContentOf(target), "x");
  EXPECT_TRUE(fs::exists(live->path() + "/.owner"));
}

TEST_F(PrivateDirs, P65_KeepsTheDirectoriesOfOtherUsers) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to make another user's directory";
  }
  const std::string left = LeaveBehind();
  ASSERT_EQ(::chown(left.c_str(), 12345, 12345), 0);
  EXPECT_EQ(Reap(), 0U);
  EXPECT_TRUE(fs::exists(left));
}

TEST_F(PrivateDirs, SaysWhenTheRootCannotBeRead) {
  EXPECT_FALSE(RemoveAbandoned(root_ + "/none", kPrefix, base::WallTime::max()));
}

}  // namespace
}  // namespace plimsoll::os
