#pragma once

#include <string>
#include <string_view>

#include "providers/docker/probes/judges.h"

namespace plimsoll::docker {

Verdict Pass(std::string detail);
Verdict Fail(std::string detail);
Verdict Skip(std::string reason);

// The failure of a probe that said nothing, by how its sandbox ended (PRB-2).
Verdict NoFact(const Trial& trial);
// `the call ended`, `the sandbox was over with exit code 137`, ...
std::string HowItEnded(const Trial& trial);

// A path of a sandbox for a detail: as it is when it is short and plain, else its length (PRB-3).
std::string ShownPath(std::string_view path);

}  // namespace plimsoll::docker
