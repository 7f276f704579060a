#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace plimsoll::os {

// Who may do what with a file of this host, and whether its file system lets programs run.
struct FileStanding {
  std::uint32_t owner = 0;
  std::uint32_t permissions = 0;  // the low 12 bits of its mode
  bool file_system_runs_programs = true;
  // Another text once the file is replaced or written: for noticing a change, not for proving that there was none.
  std::string version;
  friend bool operator==(const FileStanding&, const FileStanding&) = default;
};

// The standing of the regular file at `path`, links followed. Nothing when no such file exists; Fault for one of
// another kind, or that cannot be looked at.
base::Result<std::optional<FileStanding>> StandingOf(const std::string& path);

// The uid this process acts under.
std::uint32_t OwnUid();

}  // namespace plimsoll::os
