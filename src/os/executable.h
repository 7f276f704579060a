#pragma once

#include <string>

#include "base/result.h"

namespace plimsoll::os {

// The absolute path of the running program. Fault kInternal where /proc is not mounted.
base::Result<std::string> OwnExecutable();

// The absolute path of the program or shared library that `code`, the address of a function in it, was loaded from.
// Fault kInternal when it lies in none.
base::Result<std::string> FileHolding(const void* code);

// Whether `path` is a regular file this process may execute, links followed.
bool IsExecutableFile(const std::string& path);

}  // namespace plimsoll::os
