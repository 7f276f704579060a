#pragma once

#include "base/clock.h"
#include "providers/docker/probes/battery.h"
#include "providers/docker/settings.h"
#include "providers/docker/smoke.h"
#include "providers/docker/state.h"

namespace plimsoll::docker {

// What a battery means: passed when it is complete and nothing in it failed. The report has every probe that was made,
// sorted by id; the state is stated as proven, with the languages that answered, only when all passed. Pure.
SmokeOutcome JudgeSmokeTest(const State& state, const Settings& settings, BatteryResult result, base::WallTime began,
                            base::WallTime ended);

}  // namespace plimsoll::docker
