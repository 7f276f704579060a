#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

namespace plimsoll::os {

// Why a file of this host gave nothing.
struct FileProblem {
  enum class Kind {
    kMissing,
    kNotRegular,  // a folder, a device, a pipe: never opened
    kTooLong,
    kUnreadable,
  };
  Kind kind;
  std::string cause;  // for a person
};

// The whole of a regular file, links followed. At most `limit` bytes are ever held.
std::variant<std::string, FileProblem> ReadRegularFile(const std::string& path, std::size_t limit);

// Who may do what with a file, and whether its file system lets programs run.
struct FileStanding {
  std::uint32_t owner = 0;
  std::uint32_t permissions = 0;  // the low 12 bits of its mode
  bool file_system_runs_programs = true;
  // Changes when the file is replaced or written; for noticing, not for proving.
  std::string version;
  friend bool operator==(const FileStanding&, const FileStanding&) = default;
};
std::variant<FileStanding, FileProblem> StandingOf(const std::string& path);

// The uid this process acts under.
std::uint32_t OwnUid();

}  // namespace plimsoll::os
