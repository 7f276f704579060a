#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/unique_fd.h"

namespace plimsoll::os {

// Work on directories by descriptor: a name is looked up once, and no link in a directory is ever followed. What stands
// on it: `Folder` for a caller's folders, `PrivateDir` for our own.

// Links in the path are followed.
base::Result<UniqueFd> OpenDirectory(const std::string& path);
// `name` is one name in the open directory `parent`.
base::Result<UniqueFd> OpenDirectoryIn(int parent, const std::string& name);

enum class FileKind { kFile, kDirectory, kLink, kSocket, kOther };
struct FileFacts {
  FileKind kind = FileKind::kOther;
  unsigned owner = 0;  // user id
  unsigned mode = 0;   // permissions and sticky bit
  std::uint64_t device = 0;
  base::WallTime modified;
};
base::Result<FileFacts> FactsOf(int fd);
base::Result<FileFacts> FactsIn(int directory, const std::string& name);

// The names in a directory without `.` and `..`, in no order. Fault when there are more than `most`.
base::Result<std::vector<std::string>> NamesIn(int directory, std::size_t most);

// Makes the file `name` with this content and these permissions less the process's mask; the open file. Fault when the
// name is taken, or nothing is left of what could not be written whole.
base::Result<UniqueFd> WriteNewIn(int directory, const std::string& name, std::string_view content, unsigned mode);

// Removes everything in the directory, and directories in it down to 8 levels on the same file system. Fault at the
// first thing that cannot be removed.
base::Status RemoveContents(int directory);
// Removes the directory `name` when it is empty.
base::Status RemoveEmptyIn(int parent, const std::string& name);

// A directory in which nobody but its owner, this process or root can rename or remove what this process makes.
base::Status CheckRoot(int directory);

}  // namespace plimsoll::os
