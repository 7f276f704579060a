#pragma once

#include "daemon/settings_words.h"
#include "isolation/profile.h"
#include "providers/docker/settings.h"

namespace plimsoll::daemon {

// The docker provider's settings as the environment has them, parsed only: what an image reference, a path or an
// address is worth is the preflight's to say (providers-local.md 6.1). An envelope of 0 gives the provider's defaults.
// Left at their defaults: pinning, guest user, pool, counts and programs, which the plan settles.
docker::Settings DockerSettingsIn(SettingsReader& read, const isolation::Resources& envelope);

}  // namespace plimsoll::daemon
