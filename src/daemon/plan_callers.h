#pragma once

#include "daemon/plan.h"

namespace plimsoll::daemon {

// Steps 12 and 13 of daemon.md 3: who may call, and whether bearers cross a network in clear. Reads the registry and
// the TLS pair from their files. Needs the facts about the plan's provider; settles whether the plan is hardened, its
// gate, its TLS pair, and the posture's words about callers and address.
void PlanCallers(SettingsReader& read, Plan& plan);

}  // namespace plimsoll::daemon
