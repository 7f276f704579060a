#pragma once

#include <string>

#include "base/result.h"

namespace plimsoll::os {

// The absolute path of the running program. Fault kInternal where /proc is not mounted.
base::Result<std::string> OwnExecutable();

// Whether `path` is a regular file this process may execute, links followed.
bool IsExecutableFile(const std::string& path);

}  // namespace plimsoll::os
