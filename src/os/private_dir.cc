#include "os/private_dir.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "os/directory.h"
#include "os/errno_fault.h"
#include "os/file_standing.h"
#include "os/unix_listener.h"

namespace plimsoll::os {
namespace {

constexpr std::size_t kRandomBytes = 16;
constexpr std::size_t kMostInRoot = 100'000;
constexpr std::size_t kMostInDir = 1000;
constexpr unsigned kOwnerOnly = 0700;
const char* const kOwnerSocket = ".owner";

std::string FreshName(std::string_view prefix, base::Random& random) {
  std::array<std::byte, kRandomBytes> bytes{};
  random.Fill(bytes);
  return std::string(prefix) + base::HexOf(bytes);
}

bool HasOurForm(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && base::IsLowerHex(name.substr(prefix.size()), 2 * kRandomBytes);
}

// Whether nobody can be using the open directory any more.
bool IsAbandoned(int directory, base::WallTime before) {
  const auto facts = FactsOf(directory);
  if (!facts || facts->owner != OwnUid() || (facts->mode & 077) != 0 || facts->modified >= before) {
    return false;
  }
  const auto names = NamesIn(directory, kMostInDir);
  if (!names) {
    return false;
  }
  for (const std::string& name : *names) {
    const auto inside = FactsIn(directory, name);
    if (!inside || inside->kind == FileKind::kDirectory) {
      return false;
    }
    if (inside->kind == FileKind::kSocket && ProbeSocketIn(directory, name) != Listening::kRefused) {
      return false;
    }
  }
  return true;
}

}  // namespace

base::Result<std::unique_ptr<PrivateDir>> PrivateDir::Make(const std::string& root, std::string_view prefix,
                                                           base::Random& random) {
  auto parent = OpenDirectory(root);
  if (!parent) {
    return parent.error();
  }
  if (auto checked = CheckRoot(parent->get()); !checked) {
    return checked.error();
  }
  std::string name = FreshName(prefix, random);
  if (::mkdirat(parent->get(), name.c_str(), kOwnerOnly) != 0) {
    return ErrnoFault("mkdirat in " + root, errno);
  }
  auto directory = OpenDirectoryIn(parent->get(), name);
  if (!directory) {
    static_cast<void>(RemoveEmptyIn(parent->get(), name));
    return directory.error();
  }
  // From here on the destructor removes what was made.
  std::unique_ptr<PrivateDir> made(new PrivateDir(std::move(*parent), std::move(*directory), root, std::move(name)));
  if (::fchmod(made->directory_.get(), kOwnerOnly) != 0) {  // the umask may have taken more than it should
    return ErrnoFault("fchmod a private directory", errno);
  }
  auto owner = ListenIn(made->directory_.get(), kOwnerSocket, 0600);
  if (!owner) {
    return owner.error();
  }
  made->owner_ = std::move(*owner);
  return made;
}

PrivateDir::PrivateDir(UniqueFd root, UniqueFd directory, std::string root_path, std::string name)
    : root_(std::move(root)),
      directory_(std::move(directory)),
      name_(std::move(name)),
      path_(std::move(root_path) + "/" + name_) {}

PrivateDir::~PrivateDir() { static_cast<void>(Remove()); }

base::Status PrivateDir::WriteFile(const std::string& name, std::string_view content, unsigned mode) {
  auto file = WriteNewIn(directory_.get(), name, content, 0600);
  if (!file) {
    return file.error();
  }
  if (::fchmod(file->get(), static_cast<mode_t>(mode)) != 0) {
    return ErrnoFault("fchmod a new file", errno);
  }
  return base::Ok();
}

base::Result<UniqueFd> PrivateDir::Listen(const std::string& name, unsigned mode) {
  return ListenIn(directory_.get(), name, mode);
}

base::Status PrivateDir::Remove() {
  if (!directory_.is_open()) {
    return base::Ok();
  }
  owner_.Close();
  auto status = RemoveContents(directory_.get());
  directory_.Close();
  return status ? RemoveEmptyIn(root_.get(), name_) : std::move(status);
}

base::Result<std::size_t> RemoveAbandoned(const std::string& root, std::string_view prefix, base::WallTime before) {
  const auto parent = OpenDirectory(root);
  if (!parent) {
    return parent.error();
  }
  const auto names = NamesIn(parent->get(), kMostInRoot);
  if (!names) {
    return names.error();
  }
  std::size_t removed = 0;
  for (const std::string& name : *names) {
    if (!HasOurForm(name, prefix)) {
      continue;
    }
    const auto directory = OpenDirectoryIn(parent->get(), name);
    if (!directory || !IsAbandoned(directory->get(), before)) {
      continue;
    }
    if (RemoveContents(directory->get()) && RemoveEmptyIn(parent->get(), name)) {
      ++removed;
    }
  }
  return removed;
}

}  // namespace plimsoll::os
