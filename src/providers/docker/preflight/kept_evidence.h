#pragma once

#include <memory>

#include "base/clock.h"
#include "base/log.h"
#include "providers/docker/preflight.h"
#include "providers/docker/preflight/prober.h"

namespace plimsoll::docker {

// Preflight::Create with the world outside chosen by the caller.
std::unique_ptr<Preflight> CreatePreflight(const Settings& settings, Outside outside, const base::Clock& clock,
                                           base::LogSink& log);

}  // namespace plimsoll::docker
