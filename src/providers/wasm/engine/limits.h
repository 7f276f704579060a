#pragma once

#include <algorithm>
#include <cstdint>

#include "providers/wasm/engine/machine_unsafe.h"

namespace plimsoll::wasm {

// The default cap on linear memory, and the bounds of what may be asked for. The upper one is a page short of 4 GiB
// because the runtime counts bytes in 32 bits; below the lower one (16 MiB) the engine itself has no room.
inline constexpr std::uint32_t kDefaultPages = 4096;
inline constexpr std::uint32_t kMinPages = 256;
inline constexpr std::uint32_t kMaxPages = 65535;

// Measured: deep recursion meets RangeError at depth 6,005 and never the end of our 2 MiB stack.
inline constexpr std::uint32_t kEngineStackLimit = 1441792;

// The engine's own limit on what a guest may allocate under a cap of `pages`: far enough below it that a guest meets an
// exception it can catch and not the end of memory. 252,000,000 at the default cap (providers-local.md 3.2), the same
// share of others, and at least 6 MiB below for data, stacks and what fragmentation may cost.
constexpr std::uint32_t MemoryLimit(std::uint32_t pages) {
  constexpr std::uint64_t kAtDefault = 252'000'000;
  constexpr std::uint64_t kOutside = 6 * 1024 * 1024;
  const std::uint64_t cap = std::uint64_t{pages} * kPageSize;
  return static_cast<std::uint32_t>(
      std::min(cap * kAtDefault / (std::uint64_t{kDefaultPages} * kPageSize), cap - kOutside));
}

}  // namespace plimsoll::wasm
