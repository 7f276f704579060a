#pragma once

#include <variant>

#include "plimsoll/client_results.h"
#include "tools/plimsoll/outcome.h"

namespace plimsoll::tool {

// Runs in a sandbox of this very program, with no daemon: the wasm provider, tier `process`.
Outcome RunInProcess(const RunRequest& request);

// What that sandbox says of itself: its provider and its tier, the rest empty.
std::variant<client::Info, NothingRan> DescribeInProcess();

}  // namespace plimsoll::tool
