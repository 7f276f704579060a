#include "providers/wasm/engine/seed_stream.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace plimsoll::wasm {
namespace {

using State = std::array<std::uint32_t, 16>;

void QuarterRound(State& s, std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
  s[a] += s[b];
  s[d] = std::rotl(s[d] ^ s[a], 16);
  s[c] += s[d];
  s[b] = std::rotl(s[b] ^ s[c], 12);
  s[a] += s[b];
  s[d] = std::rotl(s[d] ^ s[a], 8);
  s[c] += s[d];
  s[b] = std::rotl(s[b] ^ s[c], 7);
}

}  // namespace

SeedStream::SeedStream(const Seed& seed) : state_{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} {
  std::memcpy(&state_[4], seed.data(), seed.size());
}

void SeedStream::NextBlock() {
  State working = state_;
  for (int round = 0; round < 10; ++round) {
    for (std::size_t column = 0; column < 4; ++column) {
      QuarterRound(working, column, 4 + column, 8 + column, 12 + column);
    }
    for (std::size_t diagonal = 0; diagonal < 4; ++diagonal) {
      QuarterRound(working, diagonal, 4 + (diagonal + 1) % 4, 8 + (diagonal + 2) % 4, 12 + (diagonal + 3) % 4);
    }
  }
  for (std::size_t i = 0; i < working.size(); ++i) {
    working[i] += state_[i];
  }
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(block_.data(), working.data(), block_.size());
  state_[12] += 1;
  used_ = 0;
}

void SeedStream::Fill(std::span<std::uint8_t> out) {
  while (!out.empty()) {
    if (used_ == block_.size()) {
      NextBlock();
    }
    const std::size_t count = std::min(out.size(), block_.size() - used_);
    std::memcpy(out.data(), block_.data() + used_, count);
    used_ += count;
    out = out.subspan(count);
  }
}

std::uint64_t SeedStream::Next64() {
  std::array<std::uint8_t, 8> bytes;
  Fill(bytes);
  return std::bit_cast<std::uint64_t>(bytes);
}

}  // namespace plimsoll::wasm
