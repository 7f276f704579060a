#include "os/file_standing.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

#include "os/errno_fault.h"

namespace plimsoll::os {
namespace {

std::string Text(const timespec& time) { return std::to_string(time.tv_sec) + "." + std::to_string(time.tv_nsec); }

}  // namespace

base::Result<std::optional<FileStanding>> StandingOf(const std::string& path) {
  struct stat info = {};
  struct statvfs system = {};
  if (::stat(path.c_str(), &info) != 0 || ::statvfs(path.c_str(), &system) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return std::optional<FileStanding>();
    }
    return ErrnoFault("look at " + path, errno);
  }
  if (!S_ISREG(info.st_mode)) {
    return base::Fault{base::FaultKind::kInternal, path + " is not a regular file"};
  }
  return std::optional(FileStanding{
      .owner = info.st_uid,
      .permissions = info.st_mode & 07777U,
      .file_system_runs_programs = (system.f_flag & ST_NOEXEC) == 0,
      .version = std::to_string(info.st_dev) + "/" + std::to_string(info.st_ino) + "/" + std::to_string(info.st_size) +
                 "/" + Text(info.st_mtim) + "/" + Text(info.st_ctim),
  });
}

std::uint32_t OwnUid() { return ::geteuid(); }

}  // namespace plimsoll::os
