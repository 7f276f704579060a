#include "os/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/hex.h"
#include "os/errno_fault.h"
#include "os/read_file.h"

namespace plimsoll::os {
namespace {

bool IsSingleName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

base::Fault NotSingle() { return {base::FaultKind::kInternal, "a name with a slash, or none at all"}; }

}  // namespace

base::Result<Folder> Folder::Open(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) {
    return ErrnoFault("open the folder", errno);
  }
  return Folder(std::move(fd));
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
  auto fd = OpenDirectoryIn(fd_.get(), name);
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
  auto names = NamesIn(fd_.get(), most);
  if (!names) {
    return names.error();
  }
  std::ranges::sort(*names);
  std::vector<Entry> entries;
  for (std::string& name : *names) {
    const auto facts = FactsIn(fd_.get(), name);
    if (!facts) {
      return facts.error();
    }
    entries.push_back({std::move(name), facts->kind});
  }
  return entries;
}

base::Result<std::string> Folder::ReadFile(const std::string& name, std::size_t limit) const {
  if (!IsSingleName(name)) {
    return NotSingle();
  }
  // Not blocking, so that a FIFO that took the file's place cannot hold the caller.
  const UniqueFd file(::openat(fd_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open()) {
    return ErrnoFault("open the file", errno);
  }
  const auto facts = FactsOf(file.get());
  if (!facts) {
    return facts.error();
  }
  if (facts->kind != FileKind::kFile) {
    return base::Fault{base::FaultKind::kInternal, "open the file: it is not a regular one"};
  }
  return ReadUpTo(file.get(), limit + 1);
}

base::Status Folder::WriteFile(const std::string& name, std::string_view content, base::Random& random) const {
  if (!IsSingleName(name)) {
    return NotSingle();
  }
  std::array<std::byte, 8> unique{};
  random.Fill(unique);
  const std::string part = ".plimsoll-" + base::HexOf(unique);
  auto file = WriteNewIn(fd_.get(), part, content, 0666);
  if (!file) {
    return file.error();
  }
  if (::renameat(fd_.get(), part.c_str(), fd_.get(), name.c_str()) != 0) {
    const int error = errno;
    ::unlinkat(fd_.get(), part.c_str(), 0);
    return ErrnoFault("put the file in its place", error);
  }
  return base::Ok();
}

}  // namespace plimsoll::os
