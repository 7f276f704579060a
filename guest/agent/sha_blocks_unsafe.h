#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace plimsoll::guest {

using ShaState = std::array<std::uint32_t, 8>;
inline constexpr ShaState kShaStart = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

// Whether this processor has the instructions that AddBlocks is made of.
bool HasShaInstructions();

// Adds whole blocks of 64 bytes to a SHA-256 in progress. Only where HasShaInstructions.
void AddBlocks(ShaState& state, std::span<const unsigned char> blocks);

}  // namespace plimsoll::guest
