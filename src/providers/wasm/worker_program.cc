#include "providers/wasm/worker_program.h"

#include <algorithm>

#include "os/executable.h"

namespace plimsoll::wasm {
namespace {

constexpr std::uint32_t kPagesPerMb = 16;
constexpr std::uint32_t kLargestMb = 4096;

}  // namespace

base::Result<std::string> FindWorker(const std::string& own_executable, const std::string& libexec) {
  return os::FindHelper("plimsoll-wasm-worker", "the wasm worker program", own_executable, libexec);
}

std::uint32_t MemoryInForce(std::uint32_t memory_mb) {
  return std::min(memory_mb == 0 ? kDefaultMemoryMb : memory_mb, kLargestMb);
}

std::uint32_t PagesFor(std::uint32_t memory_mb) { return MemoryInForce(memory_mb) * kPagesPerMb; }

}  // namespace plimsoll::wasm
