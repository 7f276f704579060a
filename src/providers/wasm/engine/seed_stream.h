#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace plimsoll::wasm {

// The random bytes of one run: the ChaCha20 key stream (RFC 8439, nonce zero, block counter from 0) of the run's seed.
// The same seed gives the same bytes. Trivially destructible; not thread-safe.
class SeedStream {
 public:
  using Seed = std::array<std::uint8_t, 32>;
  explicit SeedStream(const Seed& seed);

  void Fill(std::span<std::uint8_t> out);
  std::uint64_t Next64();

 private:
  void NextBlock();

  std::array<std::uint32_t, 16> state_;
  std::array<std::uint8_t, 64> block_{};
  std::size_t used_ = 64;
};

}  // namespace plimsoll::wasm
