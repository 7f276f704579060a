#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "daemon/provider_facts.h"

namespace plimsoll::daemon {

// What daemon.md 7.2 clamps with. Memory in MiB; 0: not set.
struct MemoryBudget {
  int max_concurrent = 1;
  std::int64_t total_mb = 0;
  std::int64_t per_run_mb = 0;
  std::int64_t session_pool = 0;
  RunsAt runs_at = RunsAt::kThisMachine;
};

// The runs admitted at once: min(max_concurrent, total / per_run - session_pool), or max_concurrent without a budget
// and where runs use another machine's memory. The pool is charged first because its idle sandboxes hold memory. Fault
// kInternal when the budget lacks its per-run share or leaves no room for one run.
base::Result<int> EffectiveMax(const MemoryBudget& budget);

}  // namespace plimsoll::daemon
