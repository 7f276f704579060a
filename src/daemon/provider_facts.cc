#include "daemon/provider_facts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "providers/docker/settings.h"
#include "providers/wasm/worker_program.h"

namespace plimsoll::daemon {
namespace {

using enum Id;

// Nothing runs, so an envelope has nothing to be applied to and is only parsed.
ProviderFacts Disabled() { return {.name = kDisabled}; }

ProviderFacts Wasm() {
  return {.name = "wasm",
          .best = isolation::Tier::kProcess,
          .when_unset = {.memory_mb = wasm::kDefaultMemoryMb},
          .least_memory_mb = wasm::kLeastMemoryMb,
          .not_enforced = {kCpus, kPids, kDiskMb}};
}

ProviderFacts Docker() {
  return {.name = kDocker,
          .best = isolation::Tier::kKernel,
          .sessions = Sessions::kPossible,
          .pools = Pools::kRunsAndSessions,
          .guests = Guests::kUserChosen,
          .images = Images::kPinnable,
          .when_unset = {.memory_mb = docker::Settings().memory_mb,
                         .cpus = docker::Settings().cpus,
                         .pids = docker::Settings().pids,
                         .disk_mb = docker::kTmpMb + docker::kShmMb + docker::kWorkMb},
          .hardened_wants = {kMemoryMb, kCpus, kDiskMb, kPids, kTotalMemoryMb}};
}

ProviderFacts OpenShell() {
  return {.name = "openshell",
          .best = isolation::Tier::kContainer,
          .sessions = Sessions::kPossible,
          .images = Images::kPinnable,
          .not_enforced = {kPids, kDiskMb},
          .hardened_wants = {kMemoryMb, kCpus}};
}

ProviderFacts E2b() {
  return {.name = "e2b",
          .best = isolation::Tier::kVm,
          .billing = Billing::kBySecond,
          .runs_at = RunsAt::kElsewhere,
          .sessions = Sessions::kPossible,
          .not_enforced = {kPids},
          .hardened_wants = {kMemoryMb, kCpus, kDiskMb}};
}

ProviderFacts DockerCloud() {
  return {.name = "dockercloud",
          .best = isolation::Tier::kVm,
          .billing = Billing::kBySecond,
          .runs_at = RunsAt::kElsewhere,
          .not_enforced = {kPids, kDiskMb},
          .hardened_wants = {kMemoryMb, kCpus}};
}

ProviderFacts AgentSandbox() {
  return {.name = "agentsandbox",
          .best = isolation::Tier::kVm,
          .runs_at = RunsAt::kElsewhere,
          .images = Images::kPinnable,
          .not_enforced = {kPids, kDiskMb},
          .hardened_wants = {kMemoryMb, kCpus}};
}

ProviderFacts MicroVm() { return {.name = "microvm", .best = isolation::Tier::kVm, .sessions = Sessions::kPossible}; }

}  // namespace

ProviderFacts FactsOf(std::string_view name) {
  std::array all = {Disabled(), Wasm(), Docker(), OpenShell(), E2b(), DockerCloud(), AgentSandbox(), MicroVm()};
  const auto facts = std::ranges::find(all, name, &ProviderFacts::name);
  PLIMSOLL_CHECK(facts != all.end());
  return std::move(*facts);
}

}  // namespace plimsoll::daemon
