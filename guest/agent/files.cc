#include "guest/agent/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "guest/agent/spawn.h"

namespace plimsoll::guest {
namespace {

constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

constexpr std::string_view kIsTaken = "its path is another file or directory already";

base::Fault Failed(std::string detail) { return {base::FaultKind::kInternal, std::move(detail)}; }

// The folder `name` in `parent`, made when it is not there.
base::Result<os::UniqueFd> EnterFolder(const os::UniqueFd& parent, const std::string& name) {
  if (::mkdirat(parent.get(), name.c_str(), 0777) != 0 && errno != EEXIST) {
    return Failed("its parent directory cannot be made: " + NameOfErrno(errno));
  }
  os::UniqueFd folder(::openat(parent.get(), name.c_str(), kOpenFolder));
  if (!folder.is_open()) {
    const bool is_no_folder = errno == ENOTDIR || errno == ELOOP;
    return Failed(is_no_folder ? "a part of its path is another file"
                               : "its parent directory cannot be opened: " + NameOfErrno(errno));
  }
  return folder;
}

base::Status WriteAll(const os::UniqueFd& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return Failed(errno == ENOSPC ? "the directory is full" : "it cannot be written: " + NameOfErrno(errno));
    }
    bytes.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  return base::Ok();
}

// A new file, or one that an earlier call left, emptied. What is no regular file is never waited for and never written
// to.
base::Result<os::UniqueFd> OpenForWriting(const os::UniqueFd& folder, const std::string& name) {
  constexpr int kWrite = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  os::UniqueFd file(::openat(folder.get(), name.c_str(), kWrite, 0666));
  if (!file.is_open()) {
    const bool is_other = errno == EISDIR || errno == ELOOP || errno == ENXIO;
    return Failed(is_other ? std::string(kIsTaken) : "it cannot be made: " + NameOfErrno(errno));
  }
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return Failed(std::string(kIsTaken));
  }
  if (status.st_size != 0 && ::ftruncate(file.get(), 0) != 0) {
    return Failed("it cannot be emptied: " + NameOfErrno(errno));
  }
  return file;
}

base::Status WriteFile(const os::UniqueFd& directory, std::string_view path, std::string_view bytes) {
  os::UniqueFd folder(::fcntl(directory.get(), F_DUPFD_CLOEXEC, 0));
  while (path.find('/') != std::string_view::npos) {
    const std::string_view name = path.substr(0, path.find('/'));
    auto next = EnterFolder(folder, std::string(name));
    if (!next) {
      return next.error();
    }
    folder = std::move(next).value();
    path.remove_prefix(name.size() + 1);
  }
  auto file = OpenForWriting(folder, std::string(path));
  if (!file) {
    return file.error();
  }
  return WriteAll(*file, bytes);
}

}  // namespace

base::Result<os::UniqueFd> OpenDirectory(const std::string& path) {
  os::UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) {
    return Failed("the working directory cannot be opened: " + NameOfErrno(errno));
  }
  return directory;
}

base::Status WriteFiles(const os::UniqueFd& directory, const std::vector<frames::agent::FileHead>& files,
                        std::string_view content) {
  std::size_t number = 0;
  std::set<std::string_view> written_paths;
  for (const auto& file : files) {
    ++number;
    const std::string_view bytes = content.substr(0, file.size);
    content.remove_prefix(bytes.size());
    const bool is_first = written_paths.insert(file.path).second;
    if (auto written = is_first ? WriteFile(directory, file.path, bytes) : Failed(std::string(kIsTaken)); !written) {
      return Failed("file " + std::to_string(number) + " of " + std::to_string(files.size()) + ": " +
                    std::string(base::TextOf(written.error())));
    }
  }
  return base::Ok();
}

}  // namespace plimsoll::guest
