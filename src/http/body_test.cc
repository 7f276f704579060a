#include "http/body.h"

#include <string>

#include <gtest/gtest.h>

namespace plimsoll::http {
namespace {

using Fit = BodyBuffer::Fit;

TEST(BodyBuffer, HoldsUpToItsMaximumAndNoByteMore) {
  BodyBuffer body(4, std::nullopt);
  EXPECT_EQ(body.Append("12"), Fit::kFits);
  EXPECT_EQ(body.Append("345"), Fit::kTooLarge);
  EXPECT_EQ(body.Append("34"), Fit::kFits);
  EXPECT_EQ(body.Append(""), Fit::kFits);
  EXPECT_EQ(body.Append("5"), Fit::kTooLarge);
  EXPECT_EQ(body.Take(), "1234");
}

// HTTP-4.
TEST(BodyBuffer, W13_TakesMemoryForBytesThatCameAndNotForThoseAnnounced) {
  constexpr std::uint64_t kMax = 8 << 20;
  BodyBuffer body(kMax, kMax);
  EXPECT_EQ(body.Append("12"), Fit::kFits);
  EXPECT_LT(body.Take().capacity(), 100U);

  BodyBuffer whole(kMax, std::nullopt);
  const std::string piece(16 * 1024, 'x');
  for (std::size_t size = 0; size < kMax; size += piece.size()) {
    ASSERT_EQ(whole.Append(piece), Fit::kFits);
  }
  EXPECT_LE(whole.Take().capacity(), kMax);
}

}  // namespace
}  // namespace plimsoll::http
