#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace plimsoll::wasm {

// Where the worker program is: in `libexec` when that is given, and nowhere else; otherwise beside the running program,
// or in `../libexec/plimsoll` from there. Fault kUnavailable naming every path tried and what to do.
base::Result<std::string> FindWorker(const std::string& own_executable, const std::string& libexec);

// The smallest limit of one run: the engine itself has no room in less (256 pages, engine/limits.h).
inline constexpr std::uint32_t kLeastMemoryMb = 16;

// The cap of linear memory for a limit in MB, in pages of 64 KiB: 0 is the default of 256 MB, and everything above 4096
// MB is 4096 MB (providers-local.md 3.2).
std::uint32_t PagesFor(std::uint32_t memory_mb);

}  // namespace plimsoll::wasm
