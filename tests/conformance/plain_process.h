#pragma once

#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "provider/provider.h"

namespace plimsoll::conformance {

// A provider without any wall: each snippet is a `node -` child of this very process, as its user, in its folders and
// its network. It states `process`, which is a lie, and exists to show that the wall laws can fail. Tests only.
base::Result<std::unique_ptr<provider::Provider>> MakePlainProcess(const base::Clock& clock);

}  // namespace plimsoll::conformance
