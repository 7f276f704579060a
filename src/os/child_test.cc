#include "os/child.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>

#include "os/socket_pair.h"

namespace plimsoll::os {
namespace {

// Waits for the end of a child, with a bound that only a broken test reaches.
std::optional<ExitStatus> EndOf(Child& child) {
  pollfd ended{.fd = child.pidfd(), .events = POLLIN, .revents = 0};
  static_cast<void>(::poll(&ended, 1, 10'000));
  return child.TryReap();
}

// What a shell script printed on its descriptor 1 until it ended.
std::string OutputOf(const std::string& script, std::vector<std::string> environment = {}) {
  auto pair = MakeSocketPair();
  EXPECT_TRUE(pair);
  auto child = Child::Start({.program = "/bin/sh",
                             .arguments = {"-c", script},
                             .environment = std::move(environment),
                             .passed = {{.from = pair->theirs.get(), .to = 1}}});
  EXPECT_TRUE(child);
  pair->theirs.Close();
  EXPECT_TRUE(EndOf(*child));
  std::string text(4096, '\0');
  text.resize(Receive(pair->ours.get(), text).bytes);
  return text;
}

TEST(Child, TellsItsExitCode) {
  auto child = Child::Start({.program = "/bin/sh", .arguments = {"-c", "exit 7"}});
  ASSERT_TRUE(child);
  const auto status = EndOf(*child);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->how, ExitStatus::How::kExited);
  EXPECT_EQ(status->value, 7);
}

TEST(Child, TellsTheSignalThatKilledIt) {
  auto child = Child::Start({.program = "/bin/sleep", .arguments = {"60"}});
  ASSERT_TRUE(child);
  EXPECT_FALSE(child->TryReap());
  child->Kill();
  const auto status = EndOf(*child);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->how, ExitStatus::How::kSignalled);
  EXPECT_EQ(status->value, SIGKILL);
  child->Kill();  // harmless once it has ended
}

TEST(Child, OS2_HasNoEnvironmentButTheOneGiven) {
  ASSERT_EQ(::setenv("PLIMSOLL_TEST_SECRET", "x", 1), 0);
  EXPECT_EQ(OutputOf("echo \"${PLIMSOLL_TEST_SECRET-none} ${A-none}\"", {"A=1"}), "none 1\n");
}

TEST(Child, OS2_HasNoDescriptorButThosePassed) {
  // Opened the careless way, as a library in an embedder's process may.
  const UniqueFd stray(::open("/dev/null", O_RDONLY));  // NOLINT(android-cloexec-open): the leak is the subject
  ASSERT_TRUE(stray.is_open());
  const std::string stray_text = std::to_string(stray.get());
  EXPECT_EQ(OutputOf("for fd in 0 1 2 " + stray_text + "; do test -e /proc/$$/fd/$fd && echo $fd; done"), "1\n");
}

TEST(Child, OS2_TakesDefaultSignalsAndAnEmptyMask) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
  const auto old_pipe = std::signal(SIGPIPE, SIG_IGN);
  const std::string text = OutputOf(
      "while read key value; do case $key in SigBlk:|SigIgn:) echo $value;; esac; done"
      " < /proc/self/status");
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
  ASSERT_NE(std::signal(SIGPIPE, old_pipe), SIG_ERR);
  // The C library itself leaves its two internal signals, 32 and 33, ignored across a spawn.
  EXPECT_THAT(text, testing::AnyOf("0000000000000000\n0000000000000000\n", "0000000000000000\n0000000180000000\n"));
}

TEST(Child, PassesEachDescriptorUnderItsNumberWhateverTheSourcesAre) {
  auto first = MakeSocketPair();
  auto second = MakeSocketPair();
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  // Each source is the other's target: a plain sequence of dup2 would lose one.
  const int low = first->theirs.get();
  const int high = second->theirs.get();
  ASSERT_LT(high, 100);
  auto child =
      Child::Start({.program = "/bin/sh",
                    .arguments = {"-c", "echo low >/proc/self/fd/" + std::to_string(high) + " 2>&1 || true; exit 0"},
                    .passed = {{.from = low, .to = high}, {.from = high, .to = low}}});
  ASSERT_TRUE(child);
  ASSERT_TRUE(EndOf(*child));
}

TEST(Child, FaultsWhenTheProgramIsNotThere) {
  const auto child = Child::Start({.program = "/nonexistent/program"});
  ASSERT_FALSE(child);
  ASSERT_NE(base::FaultIn(child), nullptr);
  EXPECT_NE(base::FaultIn(child)->detail.find("/nonexistent/program"), std::string::npos);
}

TEST(Child, OS4_IsKilledAndReapedWhenLetGo) {
  pid_t pid = -1;
  {
    auto child = Child::Start({.program = "/bin/sleep", .arguments = {"60"}});
    ASSERT_TRUE(child);
    pid = child->pid();
  }
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Child, OS4_KillsTheOldChildWhenAnotherIsAssigned) {
  auto first = Child::Start({.program = "/bin/sleep", .arguments = {"60"}});
  auto second = Child::Start({.program = "/bin/sleep", .arguments = {"61"}});
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  const pid_t old = first->pid();
  const pid_t kept = second->pid();
  *first = std::move(*second);
  EXPECT_EQ(first->pid(), kept);
  EXPECT_FALSE(first->TryReap());
  EXPECT_EQ(::waitpid(old, nullptr, WNOHANG), -1);
}

}  // namespace
}  // namespace plimsoll::os
