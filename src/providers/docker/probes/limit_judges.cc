// The judges of limits: as they are stated, and as they hold when they are exceeded.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "providers/docker/probes/judges.h"
#include "providers/docker/probes/verdicts.h"

namespace plimsoll::docker {
namespace {

constexpr int kSigKill = 9;
constexpr std::int64_t kKilled = 128 + kSigKill;
// How a runsc ends whose own threads meet the limit of processes (12.2).
constexpr std::int64_t kRunscOutOfThreads = 2;
constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

// Of processor time: the share beyond the limit that counts as kept, and one period, which a group may use up late.
constexpr double kCpuTolerance = 1.1;
constexpr double kCpuPeriodMs = 100;

std::string ValueOf(const std::map<std::string, std::string, std::less<>>& values, std::string_view key) {
  const auto value = values.find(key);
  return value == values.end() ? "absent" : value->second;
}

std::optional<double> NumberOf(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(static_cast<double>(value))
                                                                  : std::nullopt;
}

// Whether `<quota> <period>` is this many processors, but for what a driver rounds.
bool IsCpuLimit(std::string_view text, double cpus) {
  const std::size_t blank = text.find(' ');
  const auto quota = NumberOf(text.substr(0, blank));
  const auto period = blank == std::string_view::npos ? std::nullopt : NumberOf(text.substr(blank + 1));
  return quota && period && *period > 0 && std::abs(*quota / *period - cpus) <= cpus * 0.1;
}

std::string MemoryBytes(const Promise& promise) { return std::to_string(promise.memory_mb * kMib); }

bool EndedByMemory(const Trial& trial) {
  return trial.how == CallEnd::How::kContainerEnded && trial.container &&
         (trial.container->oom_killed || trial.container->exit_code == kKilled);
}

// A process that was killed and did not kill itself: what the kernel does at the memory limit.
bool ProbeWasKilled(const Trial& trial) {
  if (trial.how != CallEnd::How::kDone || trial.steps.size() != 1) {
    return false;
  }
  const auto& exited = trial.steps[0].exited;
  return exited && exited->signal == kSigKill && !exited->timed_out;
}

Verdict JudgeFill(const Seen& seen, std::string_view directory, std::uint32_t size_mb) {
  if (FillMeetsMemoryFirst(size_mb, seen.promise.memory_mb)) {
    return Skip("its " + std::to_string(size_mb) + " MiB do not fit the memory limit of " +
                std::to_string(seen.promise.memory_mb) + " MiB, which ends it first");
  }
  const auto fill = seen.found.fills.find(directory);
  if (fill == seen.found.fills.end()) {
    return NoFact(seen.trial);
  }
  const auto bytes = static_cast<std::uint64_t>(fill->second.bytes);
  const std::uint64_t size = size_mb * kMib;
  const std::string told = std::to_string(bytes) + " of " + std::to_string(size) + " bytes";
  if (bytes > size || fill->second.result == "ok") {
    return Fail("took " + told + " and was not stopped at its size");
  }
  if (fill->second.result != "ENOSPC" || bytes < size - size / 8) {
    return Fail("was stopped by " + fill->second.result + " after " + told);
  }
  return Pass("was full (ENOSPC) after " + told);
}

// The time used and the time allowed, from the host's own count where it can be read.
struct Burnt {
  double used_ms;
  double wall_ms;
  std::string by;
};
std::optional<Burnt> MeasureBurn(const Seen& seen) {
  const HostGroup& before = seen.trial.before;
  const HostGroup& after = seen.trial.after;
  if (before.cpu_used_us && after.cpu_used_us && after.names_container && *after.cpu_used_us >= *before.cpu_used_us) {
    // Nothing but the burn uses time worth counting, so the looks' distance counts only as far as the burn explains it.
    const double longest = static_cast<double>(seen.found.cpu ? seen.found.cpu->wall_ms : 0) + kCpuPeriodMs;
    return Burnt{static_cast<double>(*after.cpu_used_us - *before.cpu_used_us) / 1000,
                 std::min(static_cast<double>(seen.trial.between.count()), longest), "the host's count"};
  }
  // A kernel of its own counts the time it means to give, not the time it got (PRB-1).
  if (seen.promise.kernel == Kernel::kHosts && seen.found.cpu) {
    return Burnt{static_cast<double>(seen.found.cpu->used_ms), static_cast<double>(seen.found.cpu->wall_ms),
                 "the probe's count"};
  }
  return std::nullopt;
}

std::string HeldBack(const Seen& seen) {
  const auto& before = seen.trial.before.cpu_held_back;
  const auto& after = seen.trial.after.cpu_held_back;
  return before && after && *after > *before ? ", held back in " + std::to_string(*after - *before) + " periods" : "";
}

}  // namespace

std::uint32_t BurnThreads(double cpus, std::uint32_t processors) {
  return std::clamp(static_cast<std::uint32_t>(std::min(std::ceil(cpus), 1022.0)) + 1, 2U, std::max(processors, 2U));
}

bool FillMeetsMemoryFirst(std::uint32_t place_mb, std::uint32_t memory_mb) {
  // Room for the agent and the probe, and under runsc for its kernel.
  constexpr std::uint32_t kOthers = 64;
  return std::uint64_t{place_mb} + kFillBeyondMib + kOthers > memory_mb;
}

Verdict JudgeStatedLimits(const Seen& seen) {
  if (seen.promise.kernel == Kernel::kOwn) {
    return Skip("under runsc the host's control group is asked instead (host-group)");
  }
  if (!seen.found.cgroup) {
    return NoFact(seen.trial);
  }
  const auto& stated = *seen.found.cgroup;
  const std::string memory = MemoryBytes(seen.promise);
  if (seen.promise.pids == 0 || ValueOf(stated, "pids_max") != std::to_string(seen.promise.pids)) {
    return Fail("pids.max is " + ValueOf(stated, "pids_max") + ", " + std::to_string(seen.promise.pids) +
                " is promised");
  }
  if (ValueOf(stated, "memory_max") != memory) {
    return Fail("the memory limit is " + ValueOf(stated, "memory_max") + ", " + memory + " is promised");
  }
  if (ValueOf(stated, "swap_max") != "0" && ValueOf(stated, "memory_and_swap_max") != memory) {
    return Fail("swap is not kept out by the memory limit");
  }
  const std::string v1_cpu = ValueOf(stated, "cpu_quota_us") + " " + ValueOf(stated, "cpu_period_us");
  if (!IsCpuLimit(ValueOf(stated, "cpu_max"), seen.promise.cpus) && !IsCpuLimit(v1_cpu, seen.promise.cpus)) {
    return Fail("the processor limit is not the one promised");
  }
  return Pass("pids, memory without swap, and processors are as promised");
}

Verdict JudgeHostGroup(const Seen& seen) {
  if (seen.promise.kernel == Kernel::kHosts) {
    return Skip("asked inside: only runsc shows its guests a control group of its own (stated-limits)");
  }
  if (!seen.trial.failure.empty()) {
    return NoFact(seen.trial);
  }
  const HostGroup& group = seen.trial.before;
  if (!group.names_container) {
    return Fail(
        "the control group of the sandbox's process is not the container's: runsc runs without control groups, "
        "or the daemon does not see the engine's processes");
  }
  if (group.pids_max != std::to_string(seen.promise.pids)) {
    return Fail("pids.max of the host's control group is not the " + std::to_string(seen.promise.pids) + " promised");
  }
  if (group.memory_max != MemoryBytes(seen.promise)) {
    return Fail("the memory limit of the host's control group is not the " + MemoryBytes(seen.promise) + " promised");
  }
  if (!IsCpuLimit(group.cpu_max, seen.promise.cpus)) {
    return Fail("the processor limit of the host's control group is not the one promised");
  }
  return Pass("the sandbox's process is in the container's control group with the limits promised");
}

Verdict JudgeFillTmp(const Seen& seen) { return JudgeFill(seen, "/tmp", kTmpMb); }
Verdict JudgeFillShm(const Seen& seen) { return JudgeFill(seen, "/dev/shm", kShmMb); }
Verdict JudgeFillWork(const Seen& seen) { return JudgeFill(seen, "/work", seen.promise.work_mb); }

Verdict JudgeMemoryLimit(const Seen& seen) {
  const std::int64_t held = seen.found.memory ? seen.found.memory->mib : 0;
  const std::string told =
      "after " + std::to_string(held) + " MiB, limit " + std::to_string(seen.promise.memory_mb) + " MiB";
  if (!seen.trial.failure.empty()) {
    return NoFact(seen.trial);
  }
  if (held > seen.promise.memory_mb) {
    return Fail("was not stopped at the limit: held " + std::to_string(held) + " MiB, limit " +
                std::to_string(seen.promise.memory_mb) + " MiB");
  }
  if (EndedByMemory(seen.trial)) {
    return Pass("the sandbox was ended " + told);
  }
  if (ProbeWasKilled(seen.trial)) {
    return Pass("the process was killed " + told);
  }
  if (seen.trial.how == CallEnd::How::kDone && seen.found.memory && seen.found.memory->result == "ENOMEM") {
    return Pass("was refused (ENOMEM) " + told);
  }
  return Fail("ended in another way " + told + ": " + HowItEnded(seen.trial));
}

Verdict JudgePidsLimit(const Seen& seen) {
  const std::int64_t made = seen.found.fork ? seen.found.fork->made : 0;
  const std::string told = "after " + std::to_string(made) + " processes, limit " + std::to_string(seen.promise.pids);
  if (!seen.trial.failure.empty()) {
    return NoFact(seen.trial);
  }
  // The agent and the probe are two of them.
  if (made + 2 > seen.promise.pids || (seen.found.fork && seen.found.fork->result == "ok")) {
    return Fail("was not stopped " + told);
  }
  const bool own_kernel = seen.promise.kernel == Kernel::kOwn;
  if (seen.trial.how == CallEnd::How::kDone && seen.found.fork &&
      (seen.found.fork->result == "EAGAIN" || (own_kernel && seen.found.fork->result == "ENOMEM"))) {
    return Pass("was refused (" + seen.found.fork->result + ") " + told);
  }
  if (EndedByMemory(seen.trial) || ProbeWasKilled(seen.trial)) {
    return Skip("the memory limit ended it " + told);
  }
  // The sandbox's kernel needs threads of the host for its guests, and gives up without.
  if (own_kernel && seen.trial.how == CallEnd::How::kContainerEnded && seen.trial.container &&
      seen.trial.container->exit_code == kRunscOutOfThreads) {
    return Pass("the sandbox was ended " + told);
  }
  return Fail("ended in another way " + told + ": " + HowItEnded(seen.trial));
}

Verdict JudgeCpuLimit(const Seen& seen) {
  const Promise& promise = seen.promise;
  const auto burnt = MeasureBurn(seen);
  if (!seen.trial.failure.empty() || !seen.found.cpu) {
    return NoFact(seen.trial);
  }
  if (!burnt) {
    return Fail("the host's count of the sandbox's processor time cannot be read");
  }
  const double allowed = promise.cpus * (burnt->wall_ms * kCpuTolerance + kCpuPeriodMs);
  const auto threads = static_cast<double>(std::min(BurnThreads(promise.cpus, promise.processors), promise.processors));
  if (threads * burnt->wall_ms <= allowed) {
    return Skip("this machine has " + std::to_string(promise.processors) +
                " processors, too few to exceed the limit by a measure");
  }
  const std::string told = std::to_string(std::llround(burnt->used_ms)) + " ms in " +
                           std::to_string(std::llround(burnt->wall_ms)) + " ms by " + burnt->by + HeldBack(seen);
  const bool reached = !HeldBack(seen).empty() || burnt->used_ms >= promise.cpus * burnt->wall_ms * 0.9;
  if (burnt->used_ms > allowed) {
    return Fail("used " + told + ", allowed " + std::to_string(std::llround(allowed)) + " ms");
  }
  return Pass("used " + told + (reached ? "" : "; the machine was too busy to reach the limit"));
}

}  // namespace plimsoll::docker
