#pragma once

#include <memory>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "plimsoll/sandbox.h"
#include "provider/provider.h"
#include "providers/docker/settings.h"

namespace plimsoll::embed {

// The provider that `options` name, not proved yet. The references must outlive it. Fault naming what is unknown or
// missing and what to do.
base::Result<std::unique_ptr<provider::Provider>> BuildProvider(const Options& options, const base::Clock& clock,
                                                                base::Random& random, base::LogSink& log);

// The daemon's variables that an embedder can use, read by the daemon's own table and syntax. Fault naming the
// variable.
base::Result<Options> OptionsFromEnvironment(std::string_view provider_when_unset);

// The options as the docker provider takes them, the program of its agent apart.
docker::Settings DockerSettingsOf(const Options& options);

}  // namespace plimsoll::embed
