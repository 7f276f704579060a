#include "providers/wasm/worker_program.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "os/executable.h"

namespace plimsoll::wasm {
namespace {

constexpr const char* kName = "plimsoll-wasm-worker";
constexpr std::uint32_t kPagesPerMb = 16;
constexpr std::uint32_t kDefaultMb = 256;
constexpr std::uint32_t kLargestMb = 4096;

}  // namespace

base::Result<std::string> FindWorker(const std::string& own_executable, const std::string& libexec) {
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
    const std::string path = (folder / kName).string();
    if (folder.is_absolute() && os::IsExecutableFile(path)) {
      return path;
    }
    tried += (tried.empty() ? "" : ", ") + path;
  }
  return base::Fault{base::FaultKind::kUnavailable,
                     "the wasm worker program is not there (looked for " + tried +
                         "); install it, or set PLIMSOLL_LIBEXEC to the absolute path of its folder"};
}

std::uint32_t PagesFor(std::uint32_t memory_mb) {
  return std::min(memory_mb == 0 ? kDefaultMb : memory_mb, kLargestMb) * kPagesPerMb;
}

}  // namespace plimsoll::wasm
