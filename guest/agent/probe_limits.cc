#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "guest/agent/probe_attempts.h"
#include "guest/agent/probe_fact.h"

namespace plimsoll::guest {
namespace {

constexpr std::uint32_t kStepMib = 8;
constexpr std::size_t kSayEvery = 16;  // processes

void* Map(std::size_t bytes) {
  return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

// What a made process does: it waits to be killed, and goes with the one that made it.
[[noreturn]] void Wait() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) {
    ::pause();
  }
}

std::int64_t Milliseconds(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

struct Burn {
  std::int64_t until_ms;
  std::atomic<std::uint64_t> work = 0;
};

void* Compute(void* argument) {
  Burn& burn = *static_cast<Burn*>(argument);
  std::uint64_t value = 1;
  while (Milliseconds(CLOCK_MONOTONIC) < burn.until_ms) {
    for (int i = 0; i < 20'000; ++i) {
      value = value * 6364136223846793005U + 1442695040888963407U;
    }
    burn.work += value & 1;  // keeps the loop
  }
  return nullptr;
}

}  // namespace

void ProbeMemory(std::uint32_t mib) {
  for (std::uint32_t held = 0; held < mib; held += kStepMib) {
    const std::size_t bytes = std::size_t{kStepMib} << 20;
    auto* area = static_cast<volatile char*>(Map(bytes));
    if (area == MAP_FAILED) {
      Fact("memory").Number("mib", held).Error("result", errno).Print();
      return;
    }
    for (std::size_t at = 0; at < bytes; at += 4096) {
      area[at] = static_cast<char>(at >> 12);
    }
    Fact("memory").Number("mib", held + kStepMib).Text("result", "held").Print();
  }
}

void ProbeFork(std::uint32_t count) {
  std::vector<pid_t> made;
  int error = 0;
  while (error == 0 && made.size() < count) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      Wait();
    }
    if (pid < 0) {
      error = errno;
    } else {
      made.push_back(pid);
      if (made.size() % kSayEvery == 0) {
        Fact("fork").Number("made", static_cast<std::int64_t>(made.size())).Text("result", "made").Print();
      }
    }
  }
  for (const pid_t pid : made) {
    ::kill(pid, SIGKILL);
  }
  for (const pid_t pid : made) {
    ::waitpid(pid, nullptr, 0);
  }
  Fact("fork").Number("made", static_cast<std::int64_t>(made.size())).Error("result", error).Print();
}

void ProbeCpu(std::chrono::milliseconds wall, std::uint32_t threads) {
  const std::int64_t began = Milliseconds(CLOCK_MONOTONIC);
  const std::int64_t used_before = Milliseconds(CLOCK_PROCESS_CPUTIME_ID);
  Burn burn{.until_ms = began + wall.count()};
  std::vector<pthread_t> started;
  for (std::uint32_t i = 0; i < threads; ++i) {
    pthread_t thread = {};
    if (::pthread_create(&thread, nullptr, Compute, &burn) == 0) {
      started.push_back(thread);
    }
  }
  for (const pthread_t thread : started) {
    ::pthread_join(thread, nullptr);
  }
  Fact("cpu")
      .Number("threads", static_cast<std::int64_t>(started.size()))
      .Number("wall_ms", Milliseconds(CLOCK_MONOTONIC) - began)
      .Number("used_ms", Milliseconds(CLOCK_PROCESS_CPUTIME_ID) - used_before)
      .Print();
}

}  // namespace plimsoll::guest
