#include "guest/agent/probe.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "guest/agent/probe_attempts.h"

namespace plimsoll::guest {
namespace {

constexpr int kUsage = 64;
constexpr std::string_view kNext = ",";

using Arguments = std::span<const std::string_view>;

std::optional<std::uint32_t> Number(std::string_view text, std::uint32_t most) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > most) {
    return std::nullopt;
  }
  return value;
}

struct Attempt {
  std::string_view name;
  std::size_t arguments;
  // False when an argument is not of the form wanted; then nothing was tried.
  bool (*run)(Arguments arguments);
};

template <void (*Try)()>
bool Plain(Arguments /*arguments*/) {
  Try();
  return true;
}

bool Fill(Arguments arguments) {
  const auto mib = Number(arguments[1], 1 << 20);
  if (mib) {
    ProbeFill(std::string(arguments[0]), *mib);
  }
  return mib.has_value();
}

bool UnixSocket(Arguments arguments) {
  ProbeUnixSocket(std::string(arguments[0]), arguments[1]);
  return true;
}

bool Hidden(Arguments arguments) {
  const auto pid = Number(arguments[0], INT32_MAX);
  if (pid) {
    ProbeHidden(static_cast<std::int32_t>(*pid));
  }
  return pid.has_value();
}

bool Memory(Arguments arguments) {
  const auto mib = Number(arguments[0], 1 << 24);
  if (mib) {
    ProbeMemory(*mib);
  }
  return mib.has_value();
}

bool Fork(Arguments arguments) {
  const auto count = Number(arguments[0], 1 << 20);
  if (count) {
    ProbeFork(*count);
  }
  return count.has_value();
}

bool Cpu(Arguments arguments) {
  const auto wall = Number(arguments[0], 30'000);
  const auto threads = Number(arguments[1], 1024);
  if (wall && threads) {
    ProbeCpu(std::chrono::milliseconds(*wall), *threads);
  }
  return wall.has_value() && threads.has_value();
}

constexpr std::array kAttempts = {
    Attempt{"root-write", 0, Plain<ProbeRootWrite>},
    Attempt{"mounts", 0, Plain<ProbeMounts>},
    Attempt{"writable", 0, Plain<ProbeWritable>},
    Attempt{"identity", 0, Plain<ProbeIdentity>},
    Attempt{"interfaces", 0, Plain<ProbeInterfaces>},
    Attempt{"cgroup", 0, Plain<ProbeCgroup>},
    Attempt{"kernel-log", 0, Plain<ProbeKernelLog>},
    Attempt{"fill", 2, Fill},
    Attempt{"unix-socket", 2, UnixSocket},
    Attempt{"agent-hidden", 1, Hidden},
    Attempt{"memory", 1, Memory},
    Attempt{"fork", 1, Fork},
    Attempt{"cpu", 2, Cpu},
};

// Runs one attempt of the command line; false when it is none.
bool RunOne(Arguments words) {
  const auto attempt = std::find_if(kAttempts.begin(), kAttempts.end(),
                                    [&](const Attempt& one) { return !words.empty() && one.name == words.front(); });
  return attempt != kAttempts.end() && words.size() == attempt->arguments + 1 && attempt->run(words.subspan(1));
}

// The host begins a call by closing the stdin of what it started: nothing is tried before.
void AwaitEndOfInput() {
  if (::isatty(STDIN_FILENO) == 1) {
    return;
  }
  std::array<char, 4096> dropped;
  for (;;) {
    const ssize_t now = ::read(STDIN_FILENO, dropped.data(), dropped.size());
    if (now == 0 || (now < 0 && errno != EINTR)) {
      return;
    }
  }
}

}  // namespace

int Probe(std::span<const std::string_view> arguments) {
  AwaitEndOfInput();
  for (;;) {
    const auto end = std::find(arguments.begin(), arguments.end(), kNext);
    if (!RunOne({arguments.begin(), end})) {
      return kUsage;
    }
    if (end == arguments.end()) {
      return 0;
    }
    arguments = {end + 1, arguments.end()};
  }
}

}  // namespace plimsoll::guest
