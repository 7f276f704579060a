#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::docker {

// The environment of guest processes in its three layers, later ones winning (providers-local.md 7.2): PATH and the
// host name, which is the first 12 digits of the container's id; the verified image's; the run's own. HOME comes from
// the agent where no layer states it. Nothing of the daemon's environment is in it (DOC-1). Entries are `NAME=value`,
// each name once, in the order in which a name first appeared.
std::vector<std::string> GuestEnvironment(std::string_view container_id, const std::vector<std::string>& image,
                                          const std::vector<std::string>& own);

}  // namespace plimsoll::docker
