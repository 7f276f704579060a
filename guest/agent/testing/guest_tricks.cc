// plimsoll-guest-tricks NAME [ARGUMENT ...]: what a hostile guest does that no shell can do. Started by tests only.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

namespace {

// No trick outlives its test for long, whatever becomes of the agent.
constexpr std::chrono::seconds kLongestLife(30);

// Every byte value in order, on both streams.
int Bytes() {
  for (int value = 0; value < 256; ++value) {
    std::putchar(value);
    std::fputc(255 - value, stderr);
  }
  return 0;
}

// One byte a write.
int TinyWrites(long count) {
  for (long i = 0; i < count; ++i) {
    if (::write(STDOUT_FILENO, "x", 1) != 1) {
      return 1;
    }
  }
  return 0;
}

// Exactly so many bytes on a descriptor.
int Fill(long count, int fd) {
  static std::array<char, 65536> bytes;
  bytes.fill('f');
  while (count > 0) {
    const ssize_t written = ::write(fd, bytes.data(), static_cast<std::size_t>(std::min<long>(count, bytes.size())));
    if (written <= 0) {
      return 1;
    }
    count -= written;
  }
  return 0;
}

// Exchanges two names for ever.
int Swap(const char* one, const char* other) {
  while (true) {
    static_cast<void>(::syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, 2 /* RENAME_EXCHANGE */));
  }
}

// Holds a write lease on a file, which another's opening waits for.
int Lease(const char* path) {
  const int fd = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  std::signal(SIGIO, SIG_IGN);
  std::puts(::fcntl(fd, F_SETLEASE, F_WRLCK) == 0 ? "held" : std::strerror(errno));
  std::fflush(stdout);
  return ::pause();
}

// Grows and shrinks a file for ever.
int Breathe(const char* path) {
  const int fd = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  while (true) {
    static_cast<void>(!::ftruncate(fd, 1 << 20));
    static_cast<void>(!::ftruncate(fd, 0));
  }
}

void Say(const char* what, long result) {
  std::printf("%s %s\n", what, result >= 0 ? "ALLOWED" : ::strerrorname_np(errno));
}

long OpenOf(const std::string& folder, const char* name, int flags) {
  return ::open((folder + name).c_str(), flags | O_CLOEXEC | O_NONBLOCK);
}

// Everything a process of the same user can try on another to see what it holds.
int Look(const char* pid_text) {
  const pid_t pid = std::atoi(pid_text);
  const std::string folder = std::string("/proc/") + pid_text + "/";
  Say("mem", OpenOf(folder, "mem", O_RDWR));
  Say("environ", OpenOf(folder, "environ", O_RDONLY));
  Say("maps", OpenOf(folder, "maps", O_RDONLY));
  Say("fd/0", OpenOf(folder, "fd/0", O_RDONLY));
  Say("fd/1", OpenOf(folder, "fd/1", O_WRONLY));
  for (const char* own : {"fd/64", "fd/65", "fd/66"}) {
    Say(own, OpenOf(folder, own, O_RDWR));
  }
  Say("attach", ::ptrace(PTRACE_ATTACH, pid, nullptr, nullptr));
  Say("seize", ::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr));
  char byte = 0;
  const iovec local = {.iov_base = &byte, .iov_len = 1};
  const iovec remote = {.iov_base = reinterpret_cast<void*>(0x400000), .iov_len = 1};
  Say("readv", ::process_vm_readv(pid, &local, 1, &remote, 1, 0));
  Say("writev", ::process_vm_writev(pid, &local, 1, &remote, 1, 0));
  return 0;
}

// Every catchable signal, to one process.
int Signals(const char* pid_text) {
  for (int number = 1; number <= 64; ++number) {
    if (number != SIGKILL && number != SIGSTOP) {
      static_cast<void>(::kill(std::atoi(pid_text), number));
    }
  }
  return 0;
}

// Takes the descriptors of another process away, as far as the kernel lets it.
int Starve(const char* pid_text) {
  const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  return ::prlimit(std::atoi(pid_text), RLIMIT_NOFILE, &none, nullptr) == 0 ? 0 : 1;
}

// Makes its parent its tracer, unasked, and stops with a signal that the parent hears of as of an end.
int TraceMe() {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
    return 1;
  }
  std::puts("stops");
  std::fflush(stdout);
  std::signal(SIGUSR1, SIG_IGN);
  return std::raise(SIGUSR1);
}

// Becomes another program, with a descriptor of a high number open, where the kernel refuses close_range.
int WithoutCloseRange(char** program) {
  rlimit files = {};
  static_cast<void>(::getrlimit(RLIMIT_NOFILE, &files));
  files.rlim_cur = files.rlim_max;
  std::array filter = {sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                       sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
                       sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                       sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog refuse = {.len = filter.size(), .filter = filter.data()};
  if (::setrlimit(RLIMIT_NOFILE, &files) != 0 || ::dup2(STDERR_FILENO, 2000) != 2000 ||
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &refuse) != 0) {
    return 1;
  }
  return ::execv(program[0], program);
}

// A chain of processes each of which is started by one that ends: always an orphan, never the same number twice.
int Comet(std::chrono::milliseconds life) {
  const auto end = std::chrono::steady_clock::now() + life;
  while (std::chrono::steady_clock::now() < end) {
    static_cast<void>(::setsid());
    if (::fork() != 0) {
      ::_exit(0);
    }
  }
  return 0;
}

// Its first thread ends while another makes a file grow, a byte every 5 ms.
int Headless(const char* path) {
  const int fd = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  std::thread([fd] {
    while (::write(fd, "x", 1) == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }).detach();
  ::pthread_exit(nullptr);
}

// Children that ignore every signal and start a child each, in sessions of their own.
int Litter(long count) {
  for (int number = 1; number < 32; ++number) {
    std::signal(number, SIG_IGN);
  }
  for (long i = 0; i < count; ++i) {
    if (::fork() == 0) {
      static_cast<void>(::setsid());
      if (::fork() == 0) {
        static_cast<void>(::setsid());
      }
      std::this_thread::sleep_for(kLongestLife);
      ::_exit(0);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  static_cast<void>(::alarm(kLongestLife.count()));
  const std::string_view name = argc > 1 ? argv[1] : "";
  const char* first = argc > 2 ? argv[2] : "0";
  const char* second = argc > 3 ? argv[3] : "1";
  if (name == "bytes") {
    return Bytes();
  }
  if (name == "tiny-writes") {
    return TinyWrites(std::atol(first));
  }
  if (name == "fill") {
    return Fill(std::atol(first), std::atoi(second));
  }
  if (name == "swap") {
    return Swap(first, second);
  }
  if (name == "lease") {
    return Lease(first);
  }
  if (name == "breathe") {
    return Breathe(first);
  }
  if (name == "look") {
    return Look(first);
  }
  if (name == "signals") {
    return Signals(first);
  }
  if (name == "starve") {
    return Starve(first);
  }
  if (name == "trace-me") {
    return TraceMe();
  }
  if (name == "without-close-range" && argc > 2) {
    return WithoutCloseRange(argv + 2);
  }
  if (name == "comet") {
    return Comet(std::chrono::milliseconds(std::atol(first)));
  }
  if (name == "headless") {
    return Headless(first);
  }
  if (name == "litter") {
    return Litter(std::atol(first));
  }
  return 64;
}
