#pragma once

#include <memory>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "daemon/plan.h"
#include "provider/provider.h"

namespace plimsoll::daemon {

// Where plimsoll-guest is, the program that every container starts. Fault kUnavailable naming the places looked at.
base::Result<std::string> DockerAgent(const ProviderSettings& settings);

// The docker provider of these settings. No call to the engine is made. The references must outlive it.
base::Result<std::unique_ptr<provider::Provider>> BuildDocker(const ProviderSettings& settings,
                                                              const base::Clock& clock, base::Random& random,
                                                              base::LogSink& log);

}  // namespace plimsoll::daemon
