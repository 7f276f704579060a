#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "os/directory.h"
#include "os/unique_fd.h"

namespace plimsoll::os {

// A folder held open. Everything below it is reached by one name at a time and no link is ever followed, so whatever is
// swapped meanwhile, nothing outside of it is read or written (OS-11). Names are single: none of these takes a slash,
// `.` or `..`; such a name is a fault. Not thread-safe.
class Folder {
 public:
  struct Entry {
    std::string name;
    FileKind kind = FileKind::kOther;
  };

  // A folder by its path, in which links are followed: it is the caller's choice.
  static base::Result<Folder> Open(const std::string& path);
  // The same; its last part is made when it is not there.
  static base::Result<Folder> OpenOrMake(const std::string& path);

  // A folder in this one.
  base::Result<Folder> Below(const std::string& name) const;
  base::Result<Folder> BelowOrMake(const std::string& name) const;

  // What is in it, sorted by name. Fault kOverloaded for more than `most` entries.
  base::Result<std::vector<Entry>> List(std::size_t most) const;

  // The bytes of a regular file, at most `limit` + 1 of them, so that the caller sees that there are more.
  base::Result<std::string> ReadFile(const std::string& name, std::size_t limit) const;

  // Writes a file whole or not at all: what had the name before, a link too, is replaced and not written through. Mode
  // 0666 less the process's mask.
  base::Status WriteFile(const std::string& name, std::string_view content, base::Random& random) const;

 private:
  explicit Folder(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace plimsoll::os
