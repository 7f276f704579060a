#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace plimsoll::daemon {

// A file of the operator, read once at start.
struct LocalFile {
  std::string content;
  unsigned mode = 0;  // permission bits of the file itself, 0777 at most
};

inline bool OthersCanWrite(const LocalFile& file) { return (file.mode & 0022U) != 0; }
inline bool OthersCanRead(const LocalFile& file) { return (file.mode & 0044U) != 0; }

// Opens, inspects and reads the regular file at `path`, at most `max_bytes`; a symbolic link is followed. Mode and
// content are of one and the same open file. Fault kUnavailable with the path and the system's reason.
base::Result<LocalFile> ReadLocalFile(const std::string& path, std::size_t max_bytes);

}  // namespace plimsoll::daemon
