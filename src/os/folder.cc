#include "os/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <span>
#include <utility>

#include "base/hex.h"
#include "os/errno_fault.h"

namespace plimsoll::os {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

bool IsSingleName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

base::Fault NotSingle() { return {base::FaultKind::kInternal, "a name with a slash, or none at all"}; }

base::Result<UniqueFd> OpenAt(int folder, const std::string& name, int flags, mode_t mode, const char* what) {
  UniqueFd fd(::openat(folder, name.c_str(), flags, mode));
  if (!fd.is_open()) {
    return ErrnoFault(what, errno);
  }
  return fd;
}

Folder::Kind KindOf(mode_t mode) {
  if (S_ISREG(mode)) {
    return Folder::Kind::kFile;
  }
  if (S_ISDIR(mode)) {
    return Folder::Kind::kFolder;
  }
  return S_ISLNK(mode) ? Folder::Kind::kLink : Folder::Kind::kOther;
}

base::Status WriteAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return ErrnoFault("write the file", errno);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return base::Ok();
}

}  // namespace

base::Result<Folder> Folder::Open(const std::string& path) {
  auto fd = OpenAt(AT_FDCWD, path, kFolderFlags, 0, "open the folder");
  if (!fd) {
    return fd.error();
  }
  return Folder(std::move(*fd));
}

base::Result<Folder> Folder::OpenOrMake(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
    return ErrnoFault("make the folder", errno);
  }
  return Open(path);
}

base::Result<Folder> Folder::Below(const std::string& name) const {
  if (!IsSingleName(name)) {
    return NotSingle();
  }
  auto fd = OpenAt(fd_.get(), name, kFolderFlags | O_NOFOLLOW, 0, "open the folder");
  if (!fd) {
    return fd.error();
  }
  return Folder(std::move(*fd));
}

base::Result<Folder> Folder::BelowOrMake(const std::string& name) const {
  if (!IsSingleName(name)) {
    return NotSingle();
  }
  if (::mkdirat(fd_.get(), name.c_str(), 0777) != 0 && errno != EEXIST) {
    return ErrnoFault("make the folder", errno);
  }
  return Below(name);
}

base::Result<std::vector<Folder::Entry>> Folder::List(std::size_t most) const {
  // A stream of its own, so that this object's descriptor keeps no position. The stream owns the number from here on.
  const int own = ::openat(fd_.get(), ".", kFolderFlags);
  if (own < 0) {
    return ErrnoFault("open the folder", errno);
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(own), ::closedir);
  if (stream == nullptr) {
    const int error = errno;
    ::close(own);
    return ErrnoFault("list the folder", error);
  }
  std::vector<Entry> entries;
  errno = 0;
  while (const dirent* found = ::readdir(stream.get())) {
    const std::string name = found->d_name;
    struct stat info = {};
    if (name == "." || name == "..") {
      continue;
    }
    if (entries.size() == most) {
      return base::Fault{base::FaultKind::kOverloaded, "more than " + std::to_string(most) + " entries"};
    }
    if (::fstatat(fd_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return ErrnoFault("look at an entry", errno);
    }
    entries.push_back({name, KindOf(info.st_mode)});
    errno = 0;
  }
  if (errno != 0) {
    return ErrnoFault("list the folder", errno);
  }
  std::ranges::sort(entries, {}, &Entry::name);
  return entries;
}

base::Result<std::string> Folder::ReadFile(const std::string& name, std::size_t limit) const {
  if (!IsSingleName(name)) {
    return NotSingle();
  }
  // Not blocking, so that a FIFO that took the file's place cannot hold the caller.
  auto fd = OpenAt(fd_.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0, "open the file");
  if (!fd) {
    return fd.error();
  }
  struct stat info = {};
  if (::fstat(fd->get(), &info) != 0) {
    return ErrnoFault("look at the file", errno);
  }
  if (!S_ISREG(info.st_mode)) {
    return base::Fault{base::FaultKind::kInternal, "open the file: it is not a regular one"};
  }
  std::string out;
  std::array<char, 65'536> piece{};
  while (out.size() <= limit) {
    const ssize_t got = ::read(fd->get(), piece.data(), std::min(piece.size(), limit + 1 - out.size()));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return ErrnoFault("read the file", errno);
    }
    if (got == 0) {
      break;
    }
    out.append(piece.data(), static_cast<std::size_t>(got));
  }
  return out;
}

base::Status Folder::WriteFile(const std::string& name, std::string_view content, base::Random& random) const {
  if (!IsSingleName(name)) {
    return NotSingle();
  }
  std::array<std::byte, 8> unique{};
  random.Fill(unique);
  const std::string part = ".plimsoll-" + base::HexOf(unique);
  auto fd = OpenAt(fd_.get(), part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666, "make the file");
  if (!fd) {
    return fd.error();
  }
  base::Status status = WriteAll(fd->get(), content);
  if (status && ::renameat(fd_.get(), part.c_str(), fd_.get(), name.c_str()) != 0) {
    status = ErrnoFault("put the file in its place", errno);
  }
  if (!status) {
    ::unlinkat(fd_.get(), part.c_str(), 0);
  }
  return status;
}

}  // namespace plimsoll::os
