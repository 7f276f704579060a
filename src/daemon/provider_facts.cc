#include "daemon/provider_facts.h"

#include "base/check.h"
#include "providers/docker/settings.h"
#include "providers/wasm/worker_program.h"

namespace plimsoll::daemon {

ProviderFacts FactsOf(std::string_view name) {
  using enum Id;
  if (name == kDisabled) {
    return {.name = kDisabled};  // nothing runs, so an envelope has nothing to be applied to and is only parsed
  }
  if (name == "wasm") {
    return {.name = "wasm",
            .best = isolation::Tier::kProcess,
            .when_unset = {.memory_mb = wasm::kDefaultMemoryMb},
            .least_memory_mb = wasm::kLeastMemoryMb,
            .not_enforced = {kCpus, kPids, kDiskMb}};
  }
  if (name == "docker") {
    return {.name = "docker",
            .best = isolation::Tier::kKernel,
            .sessions = Sessions::kNotYetBuilt,
            .pools = Pools::kRunsAndSessions,
            .guests = Guests::kUserChosen,
            .images = Images::kPinnable,
            .when_unset = {.memory_mb = docker::Settings().memory_mb,
                           .cpus = docker::Settings().cpus,
                           .pids = docker::Settings().pids,
                           .disk_mb = docker::kTmpMb + docker::kShmMb + docker::kWorkMb},
            .hardened_wants = {kMemoryMb, kCpus, kDiskMb, kPids, kTotalMemoryMb}};
  }
  if (name == "openshell") {
    return {.name = "openshell",
            .best = isolation::Tier::kContainer,
            .images = Images::kPinnable,
            .not_enforced = {kPids, kDiskMb},
            .hardened_wants = {kMemoryMb, kCpus}};
  }
  if (name == "e2b") {
    return {.name = "e2b",
            .best = isolation::Tier::kVm,
            .billing = Billing::kBySecond,
            .runs_at = RunsAt::kElsewhere,
            .sessions = Sessions::kPossible,
            .not_enforced = {kPids},
            .hardened_wants = {kMemoryMb, kCpus, kDiskMb}};
  }
  if (name == "dockercloud") {
    return {.name = "dockercloud",
            .best = isolation::Tier::kVm,
            .billing = Billing::kBySecond,
            .runs_at = RunsAt::kElsewhere,
            .sessions = Sessions::kPossible,
            .not_enforced = {kPids, kDiskMb},
            .hardened_wants = {kMemoryMb, kCpus}};
  }
  if (name == "agentsandbox") {
    return {.name = "agentsandbox",
            .best = isolation::Tier::kVm,
            .runs_at = RunsAt::kElsewhere,
            .sessions = Sessions::kPossible,
            .images = Images::kPinnable,
            .not_enforced = {kPids, kDiskMb},
            .hardened_wants = {kMemoryMb, kCpus}};
  }
  PLIMSOLL_CHECK(name == "microvm");
  return {.name = "microvm", .best = isolation::Tier::kVm, .sessions = Sessions::kPossible};
}

}  // namespace plimsoll::daemon
