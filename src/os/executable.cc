#include "os/executable.h"

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

bool IsExecutableFile(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace plimsoll::os
