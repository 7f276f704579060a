#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frames/agent.h"
#include "os/unique_fd.h"

namespace plimsoll::guest {

// The directory of a project, opened once. Fault kInternal in our own words.
base::Result<os::UniqueFd> OpenDirectory(const std::string& path);

// Writes the files below the open directory, with their parent directories. `content` holds their bytes in order. A
// regular file that an earlier call left is replaced; no link is followed, no FIFO or device waited for, and no path of
// this call written twice. The Fault names the rule and the number of the file, from 1 on, and never its path.
base::Status WriteFiles(const os::UniqueFd& directory, const std::vector<frames::agent::FileHead>& files,
                        std::string_view content);

}  // namespace plimsoll::guest
