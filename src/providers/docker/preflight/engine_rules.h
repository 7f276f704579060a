#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "isolation/tier.h"
#include "providers/docker/engine/engine.h"

namespace plimsoll::docker {

// The engine's host must be able to apply every limit: refuses kNotProven, naming each control group controller that is
// missing (6.3, Go beyond 4; XE11).
base::Status CheckControllers(const EngineInfo& info);

// The tier that containers of this runtime can earn (providers-local.md 4): `kernel` for exactly `runsc`, registered as
// a program of that base name; `container` for any other that is registered; `configured` empty is the engine's own
// default. Refuses kNotProven for a runtime that is not registered, or a `runsc` that is another program.
base::Result<isolation::Tier> TierOfRuntime(std::string_view configured, const EngineInfo& info);

// What runs the sandboxes, as far as it is known: `runc 1.1.5+ds1` from the engine's own list of components; else the
// runtime's name alone.
std::string RuntimeVersion(std::string_view configured, const EngineInfo& info, const EngineVersion& version);

}  // namespace plimsoll::docker
