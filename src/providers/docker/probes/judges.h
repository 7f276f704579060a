#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isolation/probe_report.h"
#include "providers/docker/probes/facts.h"
#include "providers/docker/probes/trial.h"
#include "providers/docker/state.h"

namespace plimsoll::docker {

// What the settings promise of one sandbox.
enum class Kernel { kHosts, kOwn };  // kOwn: the runtime answers system calls itself (runsc)
enum class Filter { kApplied, kNone };
enum class Work { kNone, kMounted };
struct Promise {
  Work work = Work::kNone;
  Kernel kernel = Kernel::kHosts;
  Filter filter = Filter::kApplied;
  std::uint32_t uid = 0;
  std::uint32_t memory_mb = 0;
  std::uint32_t pids = 0;
  std::uint32_t work_mb = 0;
  double cpus = 0;
  std::uint32_t processors = 1;  // of the host
};

// What a judge sees.
struct Seen {
  const Promise& promise;
  const Trial& trial;
  const Findings& found;
};

// `detail` is in our own words: of what a sandbox said it holds numbers, names of errors, and paths of plain
// characters.
struct Verdict {
  isolation::Probe::Outcome outcome = isolation::Probe::Outcome::kFail;
  std::string detail;
};

// One for each row of providers-local.md 6.2 that asks inside, and one for each limit that is exceeded (6.3). Pure. A
// fact that is missing fails.
Verdict JudgeRootWrite(const Seen& seen);
Verdict JudgeMounts(const Seen& seen);
Verdict JudgeWritable(const Seen& seen);
Verdict JudgeIdentity(const Seen& seen);
Verdict JudgeInterfaces(const Seen& seen);
Verdict JudgeStatedLimits(const Seen& seen);
Verdict JudgeHostGroup(const Seen& seen);
Verdict JudgeHostSocket(const Seen& seen);
Verdict JudgeAgentHidden(const Seen& seen);
Verdict JudgeFillTmp(const Seen& seen);
Verdict JudgeFillShm(const Seen& seen);
Verdict JudgeFillWork(const Seen& seen);
Verdict JudgeMemoryLimit(const Seen& seen);
Verdict JudgePidsLimit(const Seen& seen);
Verdict JudgeCpuLimit(const Seen& seen);

// How far each limit is overrun.
inline constexpr std::uint32_t kMemoryBeyondMib = 64;
inline constexpr std::uint32_t kProcessesBeyond = 16;
inline constexpr std::uint32_t kFillBeyondMib = 8;
inline constexpr std::uint32_t kBurnMs = 600;

// Threads for a burn that a limit of `cpus` must hold back.
std::uint32_t BurnThreads(double cpus, std::uint32_t processors);
// Whether filling a writable place of this size could end in the memory limit first, since both count its bytes.
bool FillMeetsMemoryFirst(std::uint32_t place_mb, std::uint32_t memory_mb);

}  // namespace plimsoll::docker
