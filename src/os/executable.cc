#include "os/executable.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

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

}  // namespace plimsoll::os
