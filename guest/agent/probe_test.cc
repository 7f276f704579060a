// The probes as plain processes without any wall: each must say that the wall is missing. That the walls hold is judged
// where a sandbox is around them (providers/docker).
#include "guest/agent/probe.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "guest/agent/probe_text.h"
#include "testkit/temp_folder.h"

namespace plimsoll::guest {
namespace {

using nlohmann::json;

struct Ran {
  int exit_code = -1;
  std::vector<json> facts;
};

// Runs the probes in a child whose stdin has ended.
Ran RunProbe(const std::vector<std::string_view>& words) {
  int output[2];
  EXPECT_EQ(::pipe2(output, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    ::dup2(output[1], STDOUT_FILENO);
    ::_exit(Probe(words));
  }
  ::close(output[1]);
  std::string text;
  char piece[4096];
  for (ssize_t now = 1; (now = ::read(output[0], piece, sizeof(piece))) > 0;) {
    text.append(piece, static_cast<std::size_t>(now));
  }
  ::close(output[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  Ran ran{.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1, .facts = {}};
  for (const std::string_view line : Lines(text)) {
    ran.facts.push_back(json::parse(line, nullptr, false));
    EXPECT_TRUE(ran.facts.back().is_object()) << line;
  }
  return ran;
}

TEST(Probe, RefusesWhatIsNoCommandLineOfItsOwn) {
  const std::vector<std::vector<std::string_view>> wrong = {
      {},
      {"nothing"},
      {"mounts", "more"},
      {"fill", "/tmp"},
      {"fill", "/tmp", "x"},
      {"fill", "/tmp", "0"},
      {"agent-hidden", "-1"},
      {"cpu", "10"},
      {"cpu", "30001", "1"},
      {"fork", "99999999"},
      {","},
  };
  for (const auto& words : wrong) {
    const Ran ran = RunProbe(words);
    EXPECT_EQ(ran.exit_code, 64);
    EXPECT_TRUE(ran.facts.empty());
  }
  EXPECT_EQ(RunProbe({"interfaces", ","}).exit_code, 64);
}

TEST(Probe, RunsSeveralAttemptsInOrder) {
  const Ran ran = RunProbe({"interfaces", ",", "identity", ",", "interfaces"});
  EXPECT_EQ(ran.exit_code, 0);
  ASSERT_EQ(ran.facts.size(), 3U);
  EXPECT_EQ(ran.facts[0]["probe"], "interfaces");
  EXPECT_EQ(ran.facts[1]["probe"], "identity");
  EXPECT_EQ(ran.facts[2]["probe"], "interfaces");
}

TEST(Probe, TriesNothingBeforeItsInputEnds) {
  int input[2];
  int output[2];
  ASSERT_EQ(::pipe2(input, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(output, O_CLOEXEC | O_NONBLOCK), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(input[0], STDIN_FILENO);
    ::close(input[1]);
    ::dup2(output[1], STDOUT_FILENO);
    const std::string_view name = "interfaces";
    ::_exit(Probe({&name, 1}));
  }
  ASSERT_EQ(::write(input[1], "code", 4), 4);
  ::usleep(100'000);
  char byte = 0;
  EXPECT_LT(::read(output[0], &byte, 1), 0);
  ::close(input[1]);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(::read(output[0], &byte, 1), 1);
}

TEST(Probe, WritesARootThatNothingProtects) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root may write to / here";
  }
  EXPECT_EQ(RunProbe({"root-write"}).facts.at(0)["result"], "ok");
}

TEST(Probe, NamesEveryMountWithItsTypeAndOptions) {
  const json rows = RunProbe({"mounts"}).facts.at(0)["rows"];
  ASSERT_GT(rows.size(), 2U);
  bool found = false;
  for (const json& row : rows) {
    ASSERT_EQ(row.size(), 3U);
    found = found || (row[0] == "/proc" && row[1] == "proc" && row[2].get<std::string>().starts_with("rw"));
  }
  EXPECT_TRUE(found);
}

TEST(Probe, FindsTheWritableMountPointsAndLeavesNothingThere) {
  struct stat info = {};
  if (::stat("/dev/shm", &info) != 0) {
    GTEST_SKIP() << "this machine has no /dev/shm";
  }
  const json fact = RunProbe({"writable"}).facts.at(0);
  EXPECT_GT(fact["tried"].get<int>(), 2);
  const auto writable = fact["writable"].get<std::vector<std::string>>();
  EXPECT_NE(std::find(writable.begin(), writable.end(), "/dev/shm"), writable.end());
  EXPECT_EQ(std::find(writable.begin(), writable.end(), "/proc"), writable.end());
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".plimsoll-probe-"));
  }
}

TEST(Probe, FillsAFolderThatHasNoBoundAndEmptiesItAgain) {
  const testkit::TempFolder folder;
  const json fact = RunProbe({"fill", folder.path(), "3"}).facts.at(0);
  EXPECT_EQ(fact["bytes"], 3 << 20);
  EXPECT_EQ(fact["result"], "ok");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Probe, SaysWhyAFolderCannotBeFilled) {
  const json fact = RunProbe({"fill", "/nowhere/at/all", "3"}).facts.at(0);
  EXPECT_EQ(fact["bytes"], 0);
  EXPECT_EQ(fact["result"], "ENOENT");
}

TEST(Probe, SeesTheIdentityItRunsUnder) {
  const json fact = RunProbe({"identity"}).facts.at(0);
  const std::string uid = std::to_string(::geteuid());
  EXPECT_EQ(fact["uid"], (json{uid, uid, uid, uid}));
  EXPECT_EQ(fact["no_new_privs"].size(), 1U);
  EXPECT_EQ(fact["cap_bnd"].size(), 1U);
  EXPECT_TRUE(fact["groups"].is_array());
}

TEST(Probe, SeesTheLimitsOfItsControlGroups) {
  const json fact = RunProbe({"cgroup"}).facts.at(0);
  for (const char* key : {"pids_max", "memory_max", "swap_max", "memory_and_swap_max", "cpu_max", "cpu_quota_us"}) {
    EXPECT_TRUE(fact[key].is_string()) << key;
  }
}

TEST(Probe, SpeaksOverASocket) {
  const testkit::TempFolder folder;
  const std::string path = folder.path() + "/socket";
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  std::string heard;
  std::jthread server([&] {
    const int peer = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    char piece[64];
    heard.assign(piece, static_cast<std::size_t>(std::max<ssize_t>(0, ::read(peer, piece, sizeof(piece)))));
    EXPECT_EQ(::write(peer, "an answer\nmore", 14), 14);
    ::close(peer);
  });
  const json fact = RunProbe({"unix-socket", path, "a question"}).facts.at(0);
  server.join();
  ::close(listener);
  EXPECT_EQ(heard, "a question\n");
  EXPECT_EQ(fact["result"], "ok");
  EXPECT_EQ(fact["reply"], "an answer");
}

TEST(Probe, SaysWhyASocketCannotBeReached) {
  EXPECT_EQ(RunProbe({"unix-socket", "/nowhere/at/all", "x"}).facts.at(0)["result"], "ENOENT");
  EXPECT_EQ(RunProbe({"unix-socket", std::string(200, 'x'), "x"}).facts.at(0)["result"], "ENAMETOOLONG");
}

// The control: a process that hides nothing shows everything.
TEST(Probe, ReachesIntoAProcessThatDoesNotHide) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "the kernel may keep processes of one user apart here";
  }
  int wait[2];
  ASSERT_EQ(::pipe2(wait, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(wait[1]);
    char byte = 0;
    ::dup2(wait[0], STDIN_FILENO);
    ::_exit(::read(wait[0], &byte, 1) == 0 ? 0 : 1);
  }
  const json fact = RunProbe({"agent-hidden", std::to_string(child)}).facts.at(0);
  for (const char* key : {"fd0_read", "mem", "environ", "maps", "ptrace_attach", "ptrace_seize"}) {
    EXPECT_EQ(fact[key], "ok") << key;
  }
  EXPECT_EQ(fact["vm_read"], "EFAULT");  // the kernel let it: only the address was wrong
  EXPECT_EQ(fact["vm_write"], "EFAULT");
  ::close(wait[1]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "what was attached to is let go";
}

TEST(Probe, HoldsAllTheMemoryItIsAskedToWhereNoLimitIs) {
  const Ran ran = RunProbe({"memory", "24"});
  ASSERT_EQ(ran.facts.size(), 3U);
  EXPECT_EQ(ran.facts.back()["mib"], 24);
  EXPECT_EQ(ran.facts.back()["result"], "held");
}

TEST(Probe, MakesAllTheProcessesItIsAskedToWhereNoLimitIsAndReapsThem) {
  const Ran ran = RunProbe({"fork", "40"});
  ASSERT_EQ(ran.facts.size(), 3U);
  EXPECT_EQ(ran.facts[0]["made"], 16);
  EXPECT_EQ(ran.facts[0]["result"], "made");
  EXPECT_EQ(ran.facts.back()["made"], 40);
  EXPECT_EQ(ran.facts.back()["result"], "ok");
}

TEST(Probe, ComputesOnEveryThreadForTheTimeAsked) {
  const json fact = RunProbe({"cpu", "200", "2"}).facts.at(0);
  EXPECT_EQ(fact["threads"], 2);
  EXPECT_GE(fact["wall_ms"].get<int>(), 200);
  EXPECT_GT(fact["used_ms"].get<int>(), 0);
}

TEST(UnescapeMount, TurnsOctalEscapesIntoBytes) {
  EXPECT_EQ(UnescapeMount("/a\\040b\\134"), "/a b\\");
  EXPECT_EQ(UnescapeMount("/plain\\04"), "/plain\\04");
}

}  // namespace
}  // namespace plimsoll::guest
