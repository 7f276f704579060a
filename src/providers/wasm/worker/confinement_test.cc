// What a guest that broke out of the engine would meet: every call below is made by native code inside a worker
// confined like the shipped one (testing/worker_probe_unsafe.cc) and answers with the errno it saw.
#include <gtest/gtest.h>

#include <cerrno>
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

struct TrapCase {
  const char* probe;
  const char* kind;
};
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
