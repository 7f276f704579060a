// What a guest that broke out of the engine would meet: every call below is made by native code inside a worker
// confined like the shipped one (testing/worker_probe_unsafe.cc) and answers with the errno it saw.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "providers/wasm/testing/worker_client.h"

namespace plimsoll::wasm {
namespace {

constexpr std::string_view kProbe = "wasm-worker-probe";

class ForbiddenCall : public testing::TestWithParam<const char*> {};

TEST_P(ForbiddenCall, P23_IsRefusedWithEperm) {
  WorkerClient worker(kProbe);
  ASSERT_TRUE(worker.ready());
  const Heard heard = worker.Run(std::string("probe:") + GetParam());
  ASSERT_TRUE(heard.ended);
  EXPECT_EQ(heard.ended->exit_code, EPERM);
}

INSTANTIATE_TEST_SUITE_P(Confinement, ForbiddenCall,
                         testing::Values("open", "openat", "creat", "socket", "sendmsg", "recvmsg", "execve",
                                         "execveat", "ptrace", "kill", "tgkill", "clone", "clone3", "fork", "vfork",
                                         "io_uring_setup", "unshare", "mount", "prctl", "prlimit", "rt_sigaction",
                                         "process_vm_readv", "dup", "memfd_create", "bpf", "mmap_executable",
                                         "mmap_descriptor", "mprotect_executable"),
                         [](const auto& test) { return std::string(test.param); });

// The control: a call that is allowed is seen to be allowed, so the refusals above are not the probe's own.
TEST(Confinement, AllowsPlainMemory) {
  WorkerClient worker(kProbe);
  EXPECT_EQ(worker.Run("probe:mmap_plain").exit_code(), 0);
}

TEST(Confinement, P23_LeavesNoDescriptorButTheSocketAndNoEnvironment) {
  WorkerClient worker(kProbe);
  EXPECT_EQ(worker.Run("probe:descriptors").exit_code(), 1);
  EXPECT_EQ(worker.Run("probe:environment").exit_code(), 0);
}

// The text of the environment, where the kernel put it, as another process of the host sees it.
TEST(Confinement, P23_LeavesNoTextOfTheEnvironmentInMemory) {
  WorkerClient worker;
  std::ifstream file("/proc/" + std::to_string(worker.pid()) + "/environ");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open()) {
    GTEST_SKIP() << "the memory of a process that cannot be dumped is shown to root only";
  }
  EXPECT_EQ(text.find("leaked"), std::string::npos);
}

std::string StatusOf(const WorkerClient& worker, std::string_view field) {
  std::ifstream file("/proc/" + std::to_string(worker.pid()) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field)) {
      return line.substr(field.size());
    }
  }
  return "no such line";
}

TEST(Confinement, HoldsNoPrivilegeAndCanGainNone) {
  WorkerClient worker;
  EXPECT_EQ(StatusOf(worker, "CapEff:\t"), "0000000000000000");
  EXPECT_EQ(StatusOf(worker, "CapPrm:\t"), "0000000000000000");
  EXPECT_EQ(StatusOf(worker, "NoNewPrivs:\t"), "1");
  EXPECT_EQ(StatusOf(worker, "Seccomp:\t"), "2");
  EXPECT_FALSE(StatusOf(worker, "Uid:\t").starts_with("0\t"));
}

TEST(Confinement, SetsEveryLimit) {
  WorkerClient worker;
  std::ifstream file("/proc/" + std::to_string(worker.pid()) + "/limits");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const char* line :
       {"Max file size             0 ", "Max core file size        0 ", "Max processes             0 ",
        "Max open files            1 ", "Max locked memory         0 ", "Max cpu time              900 "}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
  EXPECT_EQ(text.find("Max data size             unlimited"), std::string::npos);
}

// Whether this host lets a process take namespaces at all.
bool HostAllowsNamespaces() {
  const pid_t child = fork();
  if (child == 0) {
    _exit(unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) == 0 ? 0 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0;
}

TEST(Confinement, LeavesTheHostsNamespacesAndFilesWhereTheHostAllowsIt) {
  if (geteuid() != 0 || !HostAllowsNamespaces()) {
    GTEST_SKIP() << "needs root, to look into another process, and a host that allows user namespaces";
  }
  WorkerClient worker;
  const std::filesystem::path own = "/proc/self/ns";
  const std::filesystem::path process = "/proc/" + std::to_string(worker.pid());
  for (const char* name : {"user", "net", "ipc", "uts", "mnt"}) {
    EXPECT_NE(std::filesystem::read_symlink(own / name), std::filesystem::read_symlink(process / "ns" / name)) << name;
  }
  EXPECT_TRUE(std::filesystem::is_empty(process / "root" / ""));
}

struct TrapCase {
  const char* probe;
  const char* kind;
};

// For gtest's messages.
void PrintTo(const TrapCase& trap, std::ostream* out) { *out << trap.probe; }

class Trap : public testing::TestWithParam<TrapCase> {};

TEST_P(Trap, EndsTheRunWith134SaysItsKindAndDiscardsTheWorker) {
  WorkerClient worker(kProbe);
  const Heard heard = worker.Run(std::string("probe:") + GetParam().probe);
  ASSERT_TRUE(heard.ended);
  EXPECT_EQ(heard.ended->end, frames::End::kTrapped);
  EXPECT_EQ(heard.ended->next, frames::Next::kDiscard);
  EXPECT_EQ(heard.ended->exit_code, 134);
  EXPECT_EQ(heard.err, std::string("guest aborted: ") + GetParam().kind + "\n");
}

INSTANTIATE_TEST_SUITE_P(Worker, Trap,
                         testing::Values(TrapCase{"null", "memory fault"}, TrapCase{"past_the_end", "memory fault"},
                                         TrapCase{"stack_guard", "memory fault"}, TrapCase{"host_null", "memory fault"},
                                         TrapCase{"host_past_the_end", "memory fault"},
                                         TrapCase{"abort", "unreachable"},
                                         TrapCase{"native_stack", "native stack overflow"}),
                         [](const auto& test) { return std::string(test.param.probe); });

// A fault outside guest memory proves that something of ours is wrong: nothing may go on from there.
TEST(Worker, DiesOfAFaultOutsideGuestMemory) {
  WorkerClient worker(kProbe);
  EXPECT_FALSE(worker.Run("probe:elsewhere").ended);
  EXPECT_EQ(worker.Wait().value, 86);
}

}  // namespace
}  // namespace plimsoll::wasm
