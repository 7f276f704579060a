#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/plimsoll/outcome.h"

namespace plimsoll::tool {

// Writes artifacts below the folder `out`, which is made when it is missing, and notes in each where it is. Only paths
// that were `asked` for and that the protocol allows are written; no link is followed, and a file that is there is
// replaced. What went wrong first, or nothing; what could be written is written all the same.
std::optional<std::string> WriteArtifacts(const std::string& out, const std::vector<std::string>& asked,
                                          std::vector<Artifact>& artifacts);

}  // namespace plimsoll::tool
