#include "os/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <utility>

#include "os/errno_fault.h"
#include "os/file_standing.h"

namespace plimsoll::os {
namespace {

constexpr int kDepth = 8;
constexpr std::size_t kMostAtOnce = 10'000;

FileFacts Facts(const struct stat& seen) {
  FileFacts facts;
  if (S_ISREG(seen.st_mode)) {
    facts.kind = FileKind::kFile;
  } else if (S_ISDIR(seen.st_mode)) {
    facts.kind = FileKind::kDirectory;
  } else if (S_ISLNK(seen.st_mode)) {
    facts.kind = FileKind::kLink;
  } else if (S_ISSOCK(seen.st_mode)) {
    facts.kind = FileKind::kSocket;
  }
  facts.owner = seen.st_uid;
  facts.mode = seen.st_mode & 07777;
  facts.device = seen.st_dev;
  facts.modified = base::WallTime(std::chrono::seconds(seen.st_mtim.tv_sec) +
                                  std::chrono::microseconds(seen.st_mtim.tv_nsec / 1000));
  return facts;
}

base::Status RemoveBelow(int directory, std::uint64_t device, int depth);

base::Status RemoveOne(int directory, const std::string& name, std::uint64_t device, int depth) {
  if (::unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT) {
    return base::Ok();
  }
  if (errno != EISDIR && errno != EPERM) {
    return ErrnoFault("unlinkat", errno);
  }
  auto below = OpenDirectoryIn(directory, name);
  if (!below) {
    return below.error();
  }
  auto status = RemoveBelow(below->get(), device, depth - 1);
  return status ? RemoveEmptyIn(directory, name) : std::move(status);
}

base::Status RemoveBelow(int directory, std::uint64_t device, int depth) {
  const auto facts = FactsOf(directory);
  if (!facts) {
    return facts.error();
  }
  if (facts->device != device || depth < 0) {
    return base::Fault{base::FaultKind::kInternal, "a directory is too deep, or on another file system"};
  }
  const auto names = NamesIn(directory, kMostAtOnce);
  if (!names) {
    return names.error();
  }
  for (const std::string& name : *names) {
    auto status = RemoveOne(directory, name, device, depth);
    if (!status) {
      return status;
    }
  }
  return base::Ok();
}

}  // namespace

base::Result<UniqueFd> OpenDirectory(const std::string& path) {
  UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) {
    return ErrnoFault("open directory " + path, errno);
  }
  return directory;
}

base::Result<UniqueFd> OpenDirectoryIn(int parent, const std::string& name) {
  UniqueFd directory(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!directory.is_open()) {
    return ErrnoFault("openat directory", errno);
  }
  return directory;
}

base::Result<FileFacts> FactsOf(int fd) {
  struct stat seen = {};
  if (::fstat(fd, &seen) != 0) {
    return ErrnoFault("fstat", errno);
  }
  return Facts(seen);
}

base::Result<FileFacts> FactsIn(int directory, const std::string& name) {
  struct stat seen = {};
  if (::fstatat(directory, name.c_str(), &seen, AT_SYMLINK_NOFOLLOW) != 0) {
    return ErrnoFault("fstatat", errno);
  }
  return Facts(seen);
}

base::Result<std::vector<std::string>> NamesIn(int directory, std::size_t most) {
  // A descriptor of its own, because the stream takes its descriptor along and moves its position.
  UniqueFd own(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!own.is_open()) {
    return ErrnoFault("openat .", errno);
  }
  const auto close = [](DIR* stream) { static_cast<void>(::closedir(stream)); };
  const std::unique_ptr<DIR, decltype(close)> stream(::fdopendir(own.get()), close);
  if (stream == nullptr) {
    return ErrnoFault("fdopendir", errno);
  }
  static_cast<void>(own.Disown());
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());  // NOLINT(concurrency-mt-unsafe): the stream is this call's own
    if (entry == nullptr) {
      break;
    }
    std::string name = entry->d_name;
    if (name == "." || name == "..") {
      continue;
    }
    if (names.size() == most) {
      return base::Fault{base::FaultKind::kOverloaded,
                         "a directory holds more than " + std::to_string(most) + " names"};
    }
    names.push_back(std::move(name));
  }
  if (errno != 0) {
    return ErrnoFault("readdir", errno);
  }
  return names;
}

base::Result<UniqueFd> WriteNewIn(int directory, const std::string& name, std::string_view content, unsigned mode) {
  UniqueFd file(::openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file.is_open()) {
    return ErrnoFault("make a file", errno);
  }
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      const int error = errno;
      ::unlinkat(directory, name.c_str(), 0);
      return ErrnoFault("write a file", error);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

base::Status RemoveContents(int directory) {
  const auto facts = FactsOf(directory);
  if (!facts) {
    return facts.error();
  }
  return RemoveBelow(directory, facts->device, kDepth);
}

base::Status RemoveEmptyIn(int parent, const std::string& name) {
  if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
    return ErrnoFault("unlinkat directory", errno);
  }
  return base::Ok();
}

base::Status CheckRoot(int directory) {
  const auto facts = FactsOf(directory);
  if (!facts) {
    return facts.error();
  }
  const bool sticky = (facts->mode & S_ISVTX) != 0;
  const bool others_write = (facts->mode & (S_IWGRP | S_IWOTH)) != 0;
  if (facts->owner != 0 && facts->owner != OwnUid()) {
    return base::Fault{base::FaultKind::kInternal, "a directory for private directories belongs to user " +
                                                       std::to_string(facts->owner) + ", not to root or this process"};
  }
  if (others_write && !sticky) {
    return base::Fault{base::FaultKind::kInternal,
                       "a directory for private directories can be written by others and is not sticky"};
  }
  return base::Ok();
}

}  // namespace plimsoll::os
