// The worker program with one thing more: orders that begin with `probe:` are tried by native code inside it, confined
// exactly as the shipped one is. Tests only. The answer is the exit code: the errno seen, 0 when the call was allowed.
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "os/system_clock.h"
#include "providers/wasm/engine/saved_image.h"
#include "providers/wasm/worker/arguments.h"
#include "providers/wasm/worker/worker.h"

namespace plimsoll::wasm {
namespace {

struct Call {
  std::string_view name;
  long (*make)();
};

long MapExecutable() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? -1 : 0;
}

long MapDescriptor() { return mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, 0, 0) == MAP_FAILED ? -1 : 0; }

long MakeExecutable() {
  alignas(4096) static std::array<char, 4096> page;
  return mprotect(page.data(), page.size(), PROT_READ | PROT_EXEC);
}

// SAFETY: raw calls with constant arguments; each is expected to be refused before it does anything.
const Call kCalls[] = {
    {"open", [] { return syscall(SYS_open, "/etc/passwd", O_RDONLY); }},
    {"openat", [] { return syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY); }},
    {"creat", [] { return syscall(SYS_creat, "/tmp/plimsoll-probe", 0600); }},
    {"socket", [] { return syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0); }},
    {"sendmsg", [] { return syscall(SYS_sendmsg, 0, nullptr, 0); }},
    {"recvmsg", [] { return syscall(SYS_recvmsg, 0, nullptr, 0); }},
    {"execve", [] { return syscall(SYS_execve, "/bin/true", nullptr, nullptr); }},
    {"execveat", [] { return syscall(SYS_execveat, AT_FDCWD, "/bin/true", nullptr, nullptr, 0); }},
    {"ptrace", [] { return syscall(SYS_ptrace, PTRACE_ATTACH, syscall(SYS_getppid), nullptr, nullptr); }},
    {"kill", [] { return syscall(SYS_kill, 1, 0); }},
    {"tgkill", [] { return syscall(SYS_tgkill, 1, 1, 0); }},
    {"clone", [] { return syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr); }},
    {"clone3", [] { return syscall(SYS_clone3, nullptr, 0); }},
    {"fork", [] { return syscall(SYS_fork); }},
    {"vfork", [] { return syscall(SYS_vfork); }},
    {"io_uring_setup", [] { return syscall(SYS_io_uring_setup, 1, nullptr); }},
    {"unshare", [] { return syscall(SYS_unshare, CLONE_NEWUSER); }},
    {"mount", [] { return syscall(SYS_mount, "none", "/", "tmpfs", 0, nullptr); }},
    {"prctl", [] { return syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0); }},
    {"prlimit", [] { return syscall(SYS_prlimit64, 0, RLIMIT_NPROC, nullptr, nullptr); }},
    {"rt_sigaction", [] { return syscall(SYS_rt_sigaction, SIGSEGV, nullptr, nullptr, 8); }},
    {"process_vm_readv", [] { return syscall(SYS_process_vm_readv, 1, nullptr, 0, nullptr, 0, 0); }},
    {"dup", [] { return syscall(SYS_dup, 0); }},
    {"memfd_create", [] { return syscall(SYS_memfd_create, "probe", 0); }},
    {"bpf", [] { return syscall(SYS_bpf, 0, nullptr, 0); }},
    {"mmap_executable", MapExecutable},
    {"mmap_descriptor", MapDescriptor},
    {"mprotect_executable", MakeExecutable},
    {"mmap_plain",
     [] { return mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1L : 0L; }},
};

// How many descriptors are open. One at a time: poll refuses more than the limit of descriptors there may be.
std::int32_t CountDescriptors() {
  std::int32_t open = 0;
  for (int fd = 0; fd < 4096; ++fd) {
    pollfd wait{.fd = fd, .events = 0, .revents = 0};
    const timespec none = {};
    open += ppoll(&wait, 1, &none, nullptr) >= 0 && (wait.revents & POLLNVAL) == 0 ? 1 : 0;
  }
  return open;
}

std::int32_t CountEnvironment() {
  std::int32_t count = 0;
  while (environ != nullptr && environ[count] != nullptr) {
    ++count;
  }
  return count;
}

// Uses up the native stack as translated code would: a page of it at a time, every page touched.
[[gnu::noinline]] int Deeper(volatile char* above, volatile const bool& go_on) {
  volatile char frame[2048];
  frame[0] = above[0];
  return go_on ? Deeper(frame, go_on) + frame[0] : 0;
}

void OverflowNativeStack(Machine&) {
  volatile char first = 0;
  volatile const bool go_on = true;
  Deeper(&first, go_on);
}

void FaultElsewhere(Machine&) {
  volatile std::uintptr_t address = 8;
  *reinterpret_cast<volatile int*>(address) = 1;
}

struct Trap {
  std::string_view name;
  void (*body)(Machine&);
};
constexpr Address kNullObject = 16;
constexpr Address kPastTheEnd = 0xfffffff0;
const Trap kTraps[] = {
    {"null", [](Machine& machine) { Z_quickjsZ_memset(machine.instance(), kNullObject, 1, 8); }},
    {"past_the_end", [](Machine& machine) { Z_quickjsZ_memset(machine.instance(), kPastTheEnd, 1, 8); }},
    {"stack_guard", [](Machine& machine) { Z_quickjsZ_memset(machine.instance(), kStackGuard + 8, 1, 8); }},
    {"host_null", [](Machine& machine) { machine.Store32(kNullObject, 1); }},
    {"host_past_the_end", [](Machine& machine) { machine.Store32(kPastTheEnd, 1); }},
    {"abort", [](Machine& machine) { Z_quickjsZ_abort(machine.instance()); }},
    {"native_stack", OverflowNativeStack},
    // A fault that is no trap: the process must end and not go on.
    {"elsewhere", FaultElsewhere},
};

class Probe final : public OrderHookForTest {
 public:
  std::optional<Engine::Ended> Take(Engine& engine, const RunInput& run) override {
    constexpr std::string_view kMark = "probe:";
    std::string_view name = run.code;
    if (!name.starts_with(kMark)) {
      return std::nullopt;
    }
    name.remove_prefix(kMark.size());
    for (const Trap& trap : kTraps) {
      if (name == trap.name) {
        return engine.RunForTest(run, trap.body);
      }
    }
    return Engine::Ended{.exit_code = Answer(name), .reusable = true};
  }

 private:
  static std::int32_t Answer(std::string_view name) {
    if (name == "descriptors") {
      return CountDescriptors();
    }
    if (name == "environment") {
      return CountEnvironment();
    }
    for (const Call& call : kCalls) {
      if (name == call.name) {
        errno = 0;
        return call.make() < 0 ? errno : 0;
      }
    }
    return -1;
  }
};

}  // namespace
}  // namespace plimsoll::wasm

int main(int argc, char** argv) {
  const auto arguments = plimsoll::wasm::ReadArguments(argc, argv);
  if (!arguments) {
    return 2;
  }
  const plimsoll::os::SystemClock clock;
  plimsoll::wasm::Probe probe;
  return static_cast<int>(plimsoll::wasm::RunWorker({.socket = arguments->socket,
                                                     .image = plimsoll::wasm::SavedImage(),
                                                     .max_pages = arguments->pages,
                                                     .clock = clock,
                                                     .hook = &probe}));
}
