#pragma once

#include "base/result.h"
#include "frames/agent.h"

namespace plimsoll::guest {

// Who this process is. Fault kInternal when its own program file cannot be read.
base::Result<frames::agent::Ready> Identity();

}  // namespace plimsoll::guest
