#include "os/host_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "os/unique_fd.h"

namespace plimsoll::os {
namespace {

FileProblem Problem(int error) {
  return {error == ENOENT || error == ENOTDIR ? FileProblem::Kind::kMissing : FileProblem::Kind::kUnreadable,
          std::generic_category().message(error)};
}

FileProblem NotRegular() { return {FileProblem::Kind::kNotRegular, "not a regular file"}; }

// Opens without waiting for the other end of a pipe, and looks at what was opened.
std::variant<UniqueFd, FileProblem> OpenRegular(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open()) {
    return Problem(errno);
  }
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) {
    return Problem(errno);
  }
  if (!S_ISREG(info.st_mode)) {
    return NotRegular();
  }
  return file;
}

}  // namespace

std::variant<std::string, FileProblem> ReadRegularFile(const std::string& path, std::size_t limit) {
  constexpr std::size_t kPiece = std::size_t{64} * 1024;
  auto opened = OpenRegular(path);
  if (auto* problem = std::get_if<FileProblem>(&opened)) {
    return std::move(*problem);
  }
  const int file = std::get<UniqueFd>(opened).get();
  std::string content;
  for (;;) {
    const std::size_t before = content.size();
    content.resize(std::min(before + kPiece, limit + 1));
    const ssize_t now = ::read(file, content.data() + before, content.size() - before);
    if (now < 0 && errno != EINTR) {
      return Problem(errno);
    }
    content.resize(before + static_cast<std::size_t>(std::max<ssize_t>(now, 0)));
    if (content.size() > limit) {
      return FileProblem{FileProblem::Kind::kTooLong, "longer than " + std::to_string(limit) + " bytes"};
    }
    if (now == 0) {
      return content;
    }
  }
}

std::variant<FileStanding, FileProblem> StandingOf(const std::string& path) {
  struct stat info = {};
  struct statvfs system = {};
  if (::stat(path.c_str(), &info) != 0 || ::statvfs(path.c_str(), &system) != 0) {
    return Problem(errno);
  }
  if (!S_ISREG(info.st_mode)) {
    return NotRegular();
  }
  return FileStanding{
      .owner = info.st_uid,
      .permissions = info.st_mode & 07777U,
      .file_system_runs_programs = (system.f_flag & ST_NOEXEC) == 0,
      .version = std::to_string(info.st_dev) + "/" + std::to_string(info.st_ino) + "/" + std::to_string(info.st_size) +
                 "/" + std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec) + "/" +
                 std::to_string(info.st_ctim.tv_sec) + "." + std::to_string(info.st_ctim.tv_nsec),
  };
}

std::uint32_t OwnUid() { return ::geteuid(); }

}  // namespace plimsoll::os
