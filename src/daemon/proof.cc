#include "daemon/proof.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "sessions/proof.h"

namespace plimsoll::daemon {
namespace {

constexpr std::chrono::minutes kProofLimit{2};
constexpr std::chrono::milliseconds kProofLifetime = std::chrono::minutes(5);  // of the session that is opened for it

std::string NameOf(Id id) { return std::string(SettingOf(id).name); }

}  // namespace

std::optional<StartError> ProveProvider(Plan& plan, const base::Clock& clock, Depth depth) {
  const auto deadline = clock.Steady() + kProofLimit;
  base::Status status = plan.provider->Preflight(deadline);
  if (status && depth == Depth::kSmokeTest) {
    status = plan.provider->SmokeTest(deadline);
  }
  if (!status) {
    return StartError{NameOf(Id::kProvider), "the provider " + std::string(plan.posture.facts.name) +
                                                 " is not ready: " + std::string(base::TextOf(status.error()))};
  }
  if (depth == Depth::kSmokeTest) {
    plan.posture.proved = plan.provider->Tier();  // a tier that nothing has tested proves nothing
  }
  return std::nullopt;
}

std::optional<StartError> CompareTier(const Plan& plan) {
  const isolation::StatedTier proved = plan.posture.proved;
  if (plan.minimum == isolation::Floor::Absent() || plan.minimum.MetBy(proved)) {
    return std::nullopt;
  }
  return StartError{NameOf(Id::kMinIsolation), "the provider " + std::string(plan.posture.facts.name) +
                                                   " proved tier " + std::string(isolation::Name(proved)) +
                                                   ", below the minimum " + plan.minimum_name};
}

std::optional<StartError> ProveSessions(const Plan& plan, const base::Clock& clock) {
  if (plan.sessions.caps.max == 0) {
    return std::nullopt;
  }
  const base::Status status =
      sessions::ProveSessions(*plan.provider, {.ends = clock.Wall() + std::min(plan.sessions.lifetime, kProofLifetime),
                                               .deadline = clock.Steady() + kProofLimit});
  if (status) {
    return std::nullopt;
  }
  return StartError{NameOf(Id::kMaxSessions), "no session could be proved with the provider " +
                                                  std::string(plan.posture.facts.name) + ": " +
                                                  std::string(base::TextOf(status.error()))};
}

std::optional<StartError> JudgeHardened(Plan& plan) {
  plan.rules = HardenedRules(plan.posture);
  std::string violations = Violations(plan.rules);
  if (!plan.hardened || violations.empty()) {
    return std::nullopt;
  }
  return StartError{NameOf(Id::kHardened), std::move(violations)};
}

}  // namespace plimsoll::daemon
