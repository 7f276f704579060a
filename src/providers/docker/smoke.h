#pragma once

#include <memory>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "isolation/probe_report.h"
#include "providers/docker/sandbox.h"
#include "providers/docker/settings.h"
#include "providers/docker/state.h"

namespace plimsoll::docker {

// Runs the battery of providers-local.md 6.2, with every limit exceeded once (6.3, Go beyond 1), in throwaway sandboxes
// of this state. Blocks. The report when every probe passed or was skipped with its reason; else the refusal
// kNotProven, which names the first probe that failed, what was found and what to do.
struct SmokeOutcome {
  base::Status status;
  std::shared_ptr<const isolation::ProbeReport> report;  // of all probes that were made, also after a failure
  std::shared_ptr<const State> proven;                   // the state with the languages and identities shown
};
SmokeOutcome RunSmokeTest(std::shared_ptr<const State> state, const Settings& settings, Launcher& launcher,
                          const base::Clock& clock, base::Random& random, base::LogSink& log,
                          base::SteadyTime deadline);

}  // namespace plimsoll::docker
