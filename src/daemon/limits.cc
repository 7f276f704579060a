#include "daemon/limits.h"

#include <algorithm>

namespace plimsoll::daemon {
namespace {

base::Fault Broken(std::string rule) { return {base::FaultKind::kInternal, std::move(rule)}; }

}  // namespace

base::Result<int> EffectiveMax(const MemoryBudget& budget) {
  if (budget.total_mb == 0 || budget.runs_at == RunsAt::kElsewhere) {
    return budget.max_concurrent;
  }
  if (budget.per_run_mb == 0) {
    return Broken("a total needs SANDBOX_MEMORY_MB, the share of one run");
  }
  const std::int64_t fitting = budget.total_mb / budget.per_run_mb - budget.session_pool;
  if (fitting < 1) {
    return Broken(std::to_string(budget.total_mb) + " MiB in shares of " + std::to_string(budget.per_run_mb) +
                  " MiB, " + std::to_string(budget.session_pool) +
                  " of them for the session pool, leave none for a run");
  }
  return static_cast<int>(std::min<std::int64_t>(budget.max_concurrent, fitting));
}

}  // namespace plimsoll::daemon
