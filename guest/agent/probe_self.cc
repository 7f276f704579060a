#include <sys/klog.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "guest/agent/probe_attempts.h"
#include "guest/agent/probe_fact.h"
#include "guest/agent/probe_text.h"

namespace plimsoll::guest {
namespace {

constexpr std::size_t kMaxTable = std::size_t{64} * 1024;
constexpr std::size_t kMaxValue = 64;

// The first line of the first of `paths` that can be read, in the form `value`; else `absent`.
std::string FirstValue(std::span<const char* const> paths) {
  for (const char* path : paths) {
    if (const auto content = ReadFile(path, kMaxValue)) {
      return content->substr(0, content->find('\n'));
    }
  }
  return "absent";
}

}  // namespace

void ProbeIdentity() {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kFields = {{
      {"Uid:", "uid"},
      {"Gid:", "gid"},
      {"Groups:", "groups"},
      {"CapInh:", "cap_inh"},
      {"CapPrm:", "cap_prm"},
      {"CapEff:", "cap_eff"},
      {"CapBnd:", "cap_bnd"},
      {"CapAmb:", "cap_amb"},
      {"NoNewPrivs:", "no_new_privs"},
      {"Seccomp:", "seccomp"},
  }};
  const std::string status = ReadFile("/proc/self/status", kMaxTable).value_or("");
  Fact fact("identity");
  for (const std::string_view line : Lines(status)) {
    for (const auto& [label, key] : kFields) {
      if (line.starts_with(label)) {
        fact.Texts(key, Words(line.substr(label.size())));
      }
    }
  }
  fact.Print();
}

void ProbeInterfaces() {
  std::vector<std::string> names;
  const std::string table = ReadFile("/proc/net/dev", kMaxTable).value_or("");
  for (const std::string_view line : Lines(table)) {
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) {
      for (std::string& name : Words(line.substr(0, colon))) {
        names.push_back(std::move(name));
      }
    }
  }
  Fact("interfaces").Texts("names", names).Print();
}

void ProbeKernelLog() {
  constexpr int kReadAll = 3;
  std::array<char, 512> log;
  const int size = ::klogctl(kReadAll, log.data(), static_cast<int>(log.size()));
  std::string line;
  for (int i = 0; i < size && log[static_cast<std::size_t>(i)] != '\n' && line.size() < 120; ++i) {
    const char c = log[static_cast<std::size_t>(i)];
    if (c >= ' ' && c <= '~') {
      line += c;
    }
  }
  Fact("kernel-log").Error("result", size < 0 ? errno : 0).Text("line", line).Print();
}

void ProbeCgroup() {
  constexpr std::array kPids = {"/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max"};
  constexpr std::array kMemory = {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
  // v1 counts memory and swap together, v2 swap alone.
  constexpr std::array kSwap = {"/sys/fs/cgroup/memory.swap.max"};
  constexpr std::array kMemorySwap = {"/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes"};
  constexpr std::array kCpu = {"/sys/fs/cgroup/cpu.max"};
  constexpr std::array kQuota = {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us"};
  constexpr std::array kPeriod = {"/sys/fs/cgroup/cpu/cpu.cfs_period_us"};
  Fact("cgroup")
      .Text("pids_max", FirstValue(kPids))
      .Text("memory_max", FirstValue(kMemory))
      .Text("swap_max", FirstValue(kSwap))
      .Text("memory_and_swap_max", FirstValue(kMemorySwap))
      .Text("cpu_max", FirstValue(kCpu))
      .Text("cpu_quota_us", FirstValue(kQuota))
      .Text("cpu_period_us", FirstValue(kPeriod))
      .Print();
}

}  // namespace plimsoll::guest
