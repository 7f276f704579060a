#include "os/executable.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <vector>

namespace plimsoll::os {

base::Result<std::string> OwnExecutable() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return base::Fault{base::FaultKind::kInternal, "read /proc/self/exe: " + error.message()};
  }
  return path.string();
}

base::Result<std::string> FileHolding(const void* code) {
  Dl_info info = {};
  std::error_code error;
  if (::dladdr(code, &info) == 0 || info.dli_fname == nullptr) {
    return base::Fault{base::FaultKind::kInternal, "find the file that code was loaded from: none known"};
  }
  const auto path = std::filesystem::canonical(info.dli_fname, error);
  if (error) {
    return base::Fault{base::FaultKind::kInternal, "resolve the file that code was loaded from: " + error.message()};
  }
  return path.string();
}

bool IsExecutableFile(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

base::Result<std::string> FindHelper(std::string_view name, std::string_view what, const std::string& own_executable,
                                     const std::string& libexec) {
  namespace fs = std::filesystem;
  std::vector<fs::path> folders;
  if (!libexec.empty()) {
    folders = {fs::path(libexec)};
  } else {
    const fs::path own = fs::path(own_executable).parent_path();
    folders = {own, (own / "../libexec/plimsoll").lexically_normal()};
  }
  std::string tried;
  for (const fs::path& folder : folders) {
    const std::string path = (folder / name).string();
    if (folder.is_absolute() && IsExecutableFile(path)) {
      return path;
    }
    tried += (tried.empty() ? "" : ", ") + path;
  }
  return base::Fault{base::FaultKind::kUnavailable,
                     std::string(what) + " is not there (looked for " + tried +
                         "); install it, or set PLIMSOLL_LIBEXEC to the absolute path of its folder"};
}

}  // namespace plimsoll::os
