#pragma once

#include <variant>

#include "plimsoll/client_evidence.h"
#include "plimsoll/client_results.h"
#include "tools/plimsoll/outcome.h"

namespace plimsoll::tool {

// Runs in a sandbox of this very program, with no daemon, set up by the daemon's variables. Where SANDBOX_PROVIDER is
// unset a snippet gets the provider wasm, tier `process`, and a project the provider docker.
Outcome RunInProcess(const RunRequest& request);

// What the sandbox of a snippet says of itself.
std::variant<client::Info, NothingRan> DescribeInProcess();

// What its proof tried.
std::variant<client::Probes, NothingRan> ProbesInProcess();

}  // namespace plimsoll::tool
