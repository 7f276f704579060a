#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace plimsoll::os {

// The absolute path of the running program. Fault kInternal where /proc is not mounted.
base::Result<std::string> OwnExecutable();

// The absolute path of the program or shared library that `code`, the address of a function in it, was loaded from.
// Fault kInternal when it lies in none.
base::Result<std::string> FileHolding(const void* code);

// Whether `path` is a regular file this process may execute, links followed.
bool IsExecutableFile(const std::string& path);

// Where the helper program `name` is: in `libexec` when that is given, and nowhere else; otherwise beside
// `own_executable`, or in `../libexec/plimsoll` from there. Fault kUnavailable naming every path tried and what to do;
// `what` is what an operator calls the program.
base::Result<std::string> FindHelper(std::string_view name, std::string_view what, const std::string& own_executable,
                                     const std::string& libexec);

}  // namespace plimsoll::os
