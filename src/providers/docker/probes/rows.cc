#include <array>

#include "providers/docker/container_spec.h"
#include "providers/docker/probes/battery.h"

namespace plimsoll::docker {
namespace {

using Words = std::vector<std::string>;

template <const char* Word>
Words Plain(const Promise& /*promise*/) {
  return {Word};
}
constexpr char kRootWrite[] = "root-write";
constexpr char kMounts[] = "mounts";
constexpr char kWritable[] = "writable";
constexpr char kIdentity[] = "identity";
constexpr char kInterfaces[] = "interfaces";
constexpr char kCgroup[] = "cgroup";

Words AgentHidden(const Promise& /*promise*/) { return {"agent-hidden", "1"}; }
Words HostSocketWords(const Promise& /*promise*/) {
  return {"unix-socket", std::string(kHostSocketInside), std::string(kSocketQuestion)};
}

// Nothing where the memory limit would end the probe first, and the rest of its sandbox with it.
Words Fill(const char* directory, std::uint32_t size_mb, const Promise& promise) {
  if (FillMeetsMemoryFirst(size_mb, promise.memory_mb)) {
    return {};
  }
  return {"fill", directory, std::to_string(std::uint64_t{size_mb} + kFillBeyondMib)};
}
Words FillTmp(const Promise& promise) { return Fill("/tmp", kTmpMb, promise); }
Words FillShm(const Promise& promise) { return Fill("/dev/shm", kShmMb, promise); }
Words FillWork(const Promise& promise) { return Fill("/work", promise.work_mb, promise); }

Words Memory(const Promise& promise) {
  return {"memory", std::to_string(std::uint64_t{promise.memory_mb} + kMemoryBeyondMib)};
}
Words Fork(const Promise& promise) { return {"fork", std::to_string(std::uint64_t{promise.pids} + kProcessesBeyond)}; }
Words Cpu(const Promise& promise) {
  return {"cpu", std::to_string(kBurnMs), std::to_string(BurnThreads(promise.cpus, promise.processors))};
}

const std::array kRows = {
    Row{"root-write", "Create a file in /.", Group::kFacts, Where::kEveryImage, Plain<kRootWrite>, JudgeRootWrite},
    Row{"mounts", "Read the mount table.", Group::kFacts, Where::kEveryImage, Plain<kMounts>, JudgeMounts},
    Row{"writable", "Write at every mount point.", Group::kFacts, Where::kEveryImage, Plain<kWritable>, JudgeWritable},
    Row{"identity", "Read the process's own uids, gids, groups, capabilities and filter.", Group::kFacts,
        Where::kEveryImage, Plain<kIdentity>, JudgeIdentity},
    Row{"interfaces", "List the network interfaces.", Group::kFacts, Where::kEveryImage, Plain<kInterfaces>,
        JudgeInterfaces},
    Row{"stated-limits", "Read the limits of the process's own control group.", Group::kFacts, Where::kEveryImage,
        Plain<kCgroup>, JudgeStatedLimits},
    Row{"host-group", "Read, on the host, the control group of the sandbox's process.", Group::kFacts,
        Where::kFirstImage, nullptr, JudgeHostGroup},
    Row{"host-socket", "Connect to a socket of the host that is mounted, and exchange a line.", Group::kFacts,
        Where::kFirstImage, HostSocketWords, JudgeHostSocket},
    Row{"agent-hidden", "Open the descriptors, memory, environment and maps of process 1; trace it; read and write it.",
        Group::kFacts, Where::kEveryImage, AgentHidden, JudgeAgentHidden},
    Row{"fill-tmp", "Write to /tmp beyond its size.", Group::kFacts, Where::kEveryImage, FillTmp, JudgeFillTmp},
    Row{"fill-shm", "Write to /dev/shm beyond its size.", Group::kFacts, Where::kEveryImage, FillShm, JudgeFillShm},
    Row{"fill-work", "Write to /work beyond its size.", Group::kFacts, Where::kImagesWithWork, FillWork, JudgeFillWork},
    Row{"memory-limit", "Hold more memory than the limit.", Group::kMemory, Where::kFirstImage, Memory,
        JudgeMemoryLimit},
    Row{"pids-limit", "Make more processes than the limit.", Group::kPids, Where::kFirstImage, Fork, JudgePidsLimit},
    Row{"cpu-limit", "Compute on more processors than the limit.", Group::kCpu, Where::kFirstImage, Cpu, JudgeCpuLimit},
};

}  // namespace

std::span<const Row> Rows() { return kRows; }

}  // namespace plimsoll::docker
