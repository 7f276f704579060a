#pragma once

#include <optional>

#include "base/clock.h"
#include "daemon/plan.h"

namespace plimsoll::daemon {

enum class Depth { kPreflight, kSmokeTest };

// Step 17 of the start order: the provider's preflight, then, where `depth` says so, its smoke test, together at most
// 2 minutes. A smoke test that passed leaves the proved tier in the posture. Nothing when all of it holds. The plan
// must have a provider.
std::optional<StartError> ProveProvider(Plan& plan, const base::Clock& clock, Depth depth);

// Step 18: the proved tier against SANDBOX_MIN_ISOLATION.
std::optional<StartError> CompareTier(const Plan& plan);

// Step 20: while sessions are on, one real session, at most 2 minutes. Nothing while they are off.
std::optional<StartError> ProveSessions(const Plan& plan, const base::Clock& clock);

// Step 21: the hardened rules again, on what is proved. Rewrites the plan's rules; an error in hardened mode only.
std::optional<StartError> JudgeHardened(Plan& plan);

}  // namespace plimsoll::daemon
