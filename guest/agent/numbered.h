#pragma once

#include <optional>
#include <vector>

namespace plimsoll::guest {

// The entries of a folder of /proc whose names are numbers: processes, or descriptors, the one it was listed by among
// them. Nothing when it cannot be listed.
std::optional<std::vector<int>> NumbersIn(const char* folder);

}  // namespace plimsoll::guest
