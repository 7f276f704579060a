#include "providers/wasm/engine/seed_stream.h"

#include <gtest/gtest.h>

#include <vector>

namespace plimsoll::wasm {
namespace {

// RFC 8439 A.1, test vectors 1 and 2: key, nonce and first counter zero.
TEST(SeedStream, IsTheKeyStreamOfTheStandard) {
  SeedStream stream(SeedStream::Seed{});
  std::vector<std::uint8_t> bytes(128);
  stream.Fill(bytes);
  const std::vector<std::uint8_t> head(bytes.begin(), bytes.begin() + 8);
  EXPECT_EQ(head, (std::vector<std::uint8_t>{0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90}));
  const std::vector<std::uint8_t> next(bytes.begin() + 64, bytes.begin() + 72);
  EXPECT_EQ(next, (std::vector<std::uint8_t>{0x9f, 0x07, 0xe7, 0xbe, 0x55, 0x51, 0x38, 0x7a}));
}

TEST(SeedStream, GivesTheSameBytesInWhateverPieces) {
  SeedStream::Seed seed{};
  seed[31] = 9;
  std::vector<std::uint8_t> whole(1000);
  SeedStream(seed).Fill(whole);
  SeedStream pieces(seed);
  std::vector<std::uint8_t> joined;
  for (std::size_t size = 1; joined.size() < whole.size(); ++size) {
    std::vector<std::uint8_t> piece(std::min(size, whole.size() - joined.size()));
    pieces.Fill(piece);
    joined.insert(joined.end(), piece.begin(), piece.end());
  }
  EXPECT_EQ(joined, whole);
}

}  // namespace
}  // namespace plimsoll::wasm
