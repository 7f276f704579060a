// The capture of artifacts, with guests that work against it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "guest/agent/testing/agent_host.h"

namespace plimsoll::guest {
namespace {

namespace agent = frames::agent;
namespace fs = std::filesystem;
using agent::Outcome;
using std::chrono::milliseconds;

constexpr milliseconds kAmple(20'000);

Heard Capture(const WorkFolder& folder, std::vector<std::string> steps, std::vector<std::string> artifacts,
              std::uint64_t cap = 8 << 20, milliseconds budget = kAmple) {
  AgentHost host;
  host.BeginProject({.steps = std::move(steps),
                     .directory = folder.path(),
                     .artifacts = std::move(artifacts),
                     .stream_cap = 1 << 20,
                     .artifact_cap = cap},
                    {}, budget);
  return host.Hear();
}

using Captured = std::map<std::uint32_t, std::string>;

TEST(Artifacts, P49_OnlyFilesBelowTheDirectoryComeBackInTheirOrder) {
  const WorkFolder folder;
  const Heard heard =
      Capture(folder,
              {"echo file > f; mkdir dir; mkfifo fifo; ln -s /etc/passwd passwd; ln -s f inside;"
               "ln -s $PWD/f absolute; ln -s fifo tofifo; ln -s loop loop; ln -s /dev/zero zero;"
               "ln -s /proc/self/environ environ; ln -s /proc/self/exe exe; ln -s /proc/self/fd/64 own;"
               "ln -s / root; ln -s ../.. up; : > empty; echo no > unreadable; chmod 0 unreadable"},
              {"f", "missing", "dir", "fifo", "passwd", "tofifo", "loop", "zero", "environ", "exe", "own",
               "root/etc/passwd", "up/etc/passwd", "f/x", "unreadable", "empty", "absolute", "inside"});
  EXPECT_EQ(heard.outcome(), Outcome::kCompleted);
  EXPECT_EQ(heard.artifacts, (Captured{{0, "file\n"}, {15, ""}, {16, "file\n"}, {17, "file\n"}}));
  EXPECT_EQ(heard.artifact_order, (std::vector<std::uint32_t>{0, 15, 16, 17}));
  EXPECT_FALSE(heard.done->artifacts_truncated);
}

TEST(Artifacts, AreCapturedAfterAFailedAndAfterATimedOutStep) {
  const WorkFolder failed;
  EXPECT_EQ(Capture(failed, {"echo x > f; exit 9"}, {"f"}).artifacts, (Captured{{0, "x\n"}}));
  const WorkFolder late;
  const Heard heard = Capture(late, {"echo x > f; sleep 100"}, {"f"}, 100, milliseconds(300));
  EXPECT_EQ(heard.outcome(), Outcome::kTimedOut);
  EXPECT_EQ(heard.artifacts, (Captured{{0, "x\n"}}));
}

TEST(Artifacts, P51_TheFirstThatDoesNotFitEndsTheCapture) {
  const WorkFolder folder;
  const Heard heard =
      Capture(folder, {"for i in 1 2 3; do plimsoll-guest-tricks fill 3145728 > $i; done; echo small > 4"},
              {"1", "2", "3", "4"});
  EXPECT_EQ(heard.artifacts.size(), 2U);
  EXPECT_EQ(heard.artifacts.at(1), std::string(3 << 20, 'f'));
  EXPECT_TRUE(heard.done->artifacts_truncated);
}

TEST(Artifacts, ACapThatIsJustReachedCutsNothing) {
  const WorkFolder folder;
  const Heard heard = Capture(folder, {"printf 12345 > a; printf 67890 > b"}, {"a", "b"}, 10);
  EXPECT_EQ(heard.artifacts, (Captured{{0, "12345"}, {1, "67890"}}));
  EXPECT_FALSE(heard.done->artifacts_truncated);
  const WorkFolder other;
  const Heard over = Capture(other, {"printf 12345 > a; printf 678901 > b"}, {"a", "b"}, 10);
  EXPECT_EQ(over.artifacts, (Captured{{0, "12345"}}));
  EXPECT_TRUE(over.done->artifacts_truncated);
}

TEST(Artifacts, AHugeSparseFileIsNotRead) {
  const WorkFolder folder;
  const Heard heard = Capture(folder, {"truncate -s 1T huge"}, {"huge"});
  EXPECT_TRUE(heard.artifacts.empty());
  EXPECT_TRUE(heard.done->artifacts_truncated);
  EXPECT_LT(heard.took, milliseconds(3000));
}

// A folder `d` of a hundred files, and `e`, a link to the same names outside. They lie so deep that looking one up
// takes long: an exchange falls between two look-ups of one name, if there are two, and not only between two names.
std::vector<std::string> MakeTwins(const WorkFolder& folder, const WorkFolder& outside) {
  std::string deep;
  for (int i = 0; i < 480; ++i) {
    deep += "/a";
  }
  fs::create_directories(folder.path() + "/d" + deep);
  fs::create_directories(outside.path() + deep);
  fs::create_directory_symlink(outside.path(), folder.path() + "/e");
  fs::permissions(folder.path() + "/d", fs::perms(0777));
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) {
    const std::string name = deep + "/f" + std::to_string(i);
    std::ofstream(folder.path() + "/d" + name) << "inside";
    std::ofstream(outside.path() + name) << "outside";
    names.push_back("d" + name);
  }
  return names;
}

// At least a thousand tries, ten calls of a hundred names each, while a process of the guest exchanges their folder
// with a link that leads outside, as fast as it can. On a busy machine a call may be over before that process runs at
// all, so there are more calls until the folder has been seen to change between two names of a call often enough.
TEST(Artifacts, P50_NoByteFromOutsideComesBackWhileAFolderIsSwapped) {
  constexpr int kChanges = 30;
  const WorkFolder folder;
  const WorkFolder outside;
  const std::vector<std::string> names = MakeTwins(folder, outside);
  int changes = 0;
  for (int round = 0; round < 10 || (changes < kChanges && round < 200); ++round) {
    const Heard heard = Capture(folder, {"plimsoll-guest-tricks swap d e & sleep 0.05"}, names);
    ASSERT_EQ(heard.outcome(), Outcome::kCompleted);
    for (const auto& [index, content] : heard.artifacts) {
      ASSERT_EQ(content, "inside") << "call " << round << ", name " << index;
    }
    for (std::uint32_t i = 1; i < names.size(); ++i) {
      changes += heard.artifacts.contains(i) != heard.artifacts.contains(i - 1) ? 1 : 0;
    }
  }
  EXPECT_GE(changes, kChanges) << "there was hardly a race";
}

TEST(Artifacts, AFileThatChangesItsLengthComesBackWithOneItHad) {
  const WorkFolder folder;
  for (int round = 0; round < 20; ++round) {
    const Heard heard = Capture(folder, {"plimsoll-guest-tricks breathe f & sleep 0.02"}, {"f"});
    ASSERT_EQ(heard.outcome(), Outcome::kCompleted);
    EXPECT_LE(heard.artifacts.size(), 1U);
    for (const auto& [index, content] : heard.artifacts) {
      EXPECT_LE(content.size(), 1U << 20);
    }
  }
}

TEST(Artifacts, ALeaseOnAFileIsNotWaitedFor) {
  const WorkFolder folder;
  const Heard heard = Capture(folder, {"echo x > g; plimsoll-guest-tricks lease f & sleep 0.1"}, {"f", "g"});
  EXPECT_NE(heard.steps.at(0).out.find("held"), std::string::npos) << "no lease could be taken here";
  EXPECT_EQ(heard.artifacts, (Captured{{1, "x\n"}}));
  EXPECT_LT(heard.took, milliseconds(3000));
}

// Under a fast host the buffer is empty again as soon as it was full; under a slow one it stays full.
TEST(Artifacts, CrossAFastAndASlowHostWhole) {
  for (const milliseconds pause : {milliseconds(0), milliseconds(300)}) {
    const WorkFolder folder;
    AgentHost host;
    host.BeginProject({.steps = {"plimsoll-guest-tricks fill 8388608 > f"},
                       .directory = folder.path(),
                       .artifacts = {"f"},
                       .artifact_cap = 8 << 20},
                      {}, kAmple);
    std::this_thread::sleep_for(pause);
    EXPECT_EQ(host.Hear().artifacts.at(0), std::string(8 << 20, 'f'));
  }
}

TEST(Artifacts, ManyTimesManyAreAllThere) {
  for (int round = 0; round < 30; ++round) {
    const WorkFolder folder;
    std::vector<std::string> names;
    for (int i = 0; i < 10; ++i) {
      names.push_back(std::to_string(i));
    }
    const Heard heard =
        Capture(folder, {"for i in 0 1 2 3 4 5 6 7 8 9; do plimsoll-guest-tricks fill 100000 > $i; done"}, names,
                8 << 20, milliseconds(20'000));
    EXPECT_EQ(heard.artifacts.size(), 10U);
    EXPECT_LT(heard.took, milliseconds(10'000)) << "a wait that nothing ends";
  }
}

TEST(Artifacts, HaveTheLongestPath) {
  const WorkFolder folder;
  const std::string part(250, 'p');
  const std::string path = part + "/" + part + "/" + part + "/" + part;
  const Heard heard = Capture(folder, {"mkdir -p " + part + "/" + part + "/" + part + "; echo x > " + path}, {path});
  EXPECT_EQ(heard.artifacts, (Captured{{0, "x\n"}}));
}

}  // namespace
}  // namespace plimsoll::guest
