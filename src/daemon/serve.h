#pragma once

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "daemon/plan.h"

namespace plimsoll::daemon {

// Writes a plan's warnings, and its first error if there is one. True when the plan may be served.
bool Announce(const Plan& plan, base::LogSink& log);

// Steps 16 to 22 of daemon.md 3 and then the stop of daemon.md 13: binds, proves, serves until SIGINT or SIGTERM,
// drains. The plan must have a provider and no error; HoldStopSignals must have been called. The exit code of the
// process.
int Serve(Plan plan, const base::Clock& clock, base::Random& random, base::LogSink& log);

}  // namespace plimsoll::daemon
