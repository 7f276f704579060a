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

// The limit of one run that sets none.
inline constexpr std::uint32_t kDefaultMemoryMb = 256;

// The limit in force for a limit as set, in MB: 0 is the default, and everything above 4096 is 4096
// (providers-local.md 3.2).
std::uint32_t MemoryInForce(std::uint32_t memory_mb);

// The cap of linear memory for a limit as set, in pages of 64 KiB.
std::uint32_t PagesFor(std::uint32_t memory_mb);

}  // namespace plimsoll::wasm
