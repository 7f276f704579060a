#include "providers/docker/probes/smoke_report.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace plimsoll::docker {
namespace {

using isolation::Probe;
using isolation::ProbeReport;

std::int64_t UnixMs(base::WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// The identities of the images that were probed, each once, in the order of their roles.
std::string IdentitiesOf(const State& state) {
  std::string identities;
  for (const auto& [role, image] : state.images) {
    if (identities.find(image.identity) == std::string::npos) {
      identities += identities.empty() ? "" : " ";
      identities += image.identity;
    }
  }
  return identities;
}

base::Refusal Unproven(const Probe& probe) {
  return {base::Rule::kNotProven, "the smoke test failed at " + probe.id + ": " + probe.detail +
                                      "; do not serve from this engine until it holds (docs/reference/probes.md)"};
}

base::Status StatusOf(const BatteryResult& result) {
  const auto failed = std::find_if(result.probes.begin(), result.probes.end(),
                                   [](const Probe& probe) { return probe.outcome == Probe::Outcome::kFail; });
  if (failed != result.probes.end()) {
    return Unproven(*failed);
  }
  if (!result.is_complete) {
    return base::Refusal{base::Rule::kNotProven,
                         "the smoke test was not over in its time; look at the load of the docker engine"};
  }
  return base::Ok();
}

}  // namespace

SmokeOutcome JudgeSmokeTest(const State& state, const Settings& settings, BatteryResult result, base::WallTime began,
                            base::WallTime ended) {
  SmokeOutcome outcome{.status = StatusOf(result), .report = nullptr, .proven = nullptr};
  if (outcome.status) {
    auto proven = std::make_shared<State>(state);
    for (auto& [role, image] : proven->images) {
      image.languages = result.languages[role];
    }
    outcome.proven = std::move(proven);
  }
  auto report = std::make_shared<ProbeReport>();
  report->provider = "docker";
  report->tier = state.tier;
  report->environment = IdentitiesOf(state);
  report->daemon_version = settings.daemon_version;
  report->runtime_version = state.runtime_version;
  report->started_unix_ms = UnixMs(began);
  report->ended_unix_ms = UnixMs(ended);
  report->probes = std::move(result.probes);
  std::sort(report->probes.begin(), report->probes.end(), [](const Probe& a, const Probe& b) { return a.id < b.id; });
  outcome.report = std::move(report);
  return outcome;
}

}  // namespace plimsoll::docker
