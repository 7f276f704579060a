#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"

namespace plimsoll::os {

// The whole content of the regular file at `path`, of at most `most` bytes; links are followed. Nothing when no such
// file exists. Fault for a file that cannot be read, is of another kind, or is longer. Never waits for a writer.
base::Result<std::optional<std::string>> ReadFile(const std::string& path, std::size_t most);

// The next bytes of an open file up to its end, at most `most`.
base::Result<std::string> ReadUpTo(int fd, std::size_t most);

}  // namespace plimsoll::os
