#include "guest/agent/sha_blocks_unsafe.h"

#include <cstddef>

#include "base/check.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

namespace plimsoll::guest {
namespace {

alignas(16) constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t kBlock = 64;

}  // namespace

bool HasShaInstructions() {
  constexpr unsigned kSse41 = 1U << 19;
  constexpr unsigned kSha = 1U << 29;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  const bool has_sse = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & kSse41) != 0;
  return has_sse && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0;
}

// The instructions hold the eight words of the state as ABEF and CDGH, and make four rounds from four message words.
//
// SAFETY: every load and store is of 16 bytes inside `state`, kRound or one block of 64 bytes, all of them unaligned
// forms; a block is whole because of the loop's condition.
__attribute__((target("sha,sse4.1"))) void AddBlocks(ShaState& state, std::span<const unsigned char> blocks) {
  const __m128i byte_order = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  auto* words = reinterpret_cast<__m128i*>(state.data());
  const __m128i dcba = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xB1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1B);
  __m128i abef = _mm_alignr_epi8(dcba, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, dcba, 0xF0);
  for (; blocks.size() >= kBlock; blocks = blocks.subspan(kBlock)) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    const auto* block = reinterpret_cast<const __m128i*>(blocks.data());
    __m128i message[4];
    for (std::size_t i = 0; i < 16; ++i) {
      __m128i& now = message[i & 3];
      if (i < 4) {
        now = _mm_shuffle_epi8(_mm_loadu_si128(block + i), byte_order);
      } else {
        const __m128i middle = _mm_alignr_epi8(message[(i + 3) & 3], message[(i + 2) & 3], 4);
        const __m128i part = _mm_add_epi32(_mm_sha256msg1_epu32(now, message[(i + 1) & 3]), middle);
        now = _mm_sha256msg2_epu32(part, message[(i + 3) & 3]);
      }
      const auto* round = reinterpret_cast<const __m128i*>(kRound.data()) + i;
      const __m128i sum = _mm_add_epi32(now, _mm_load_si128(round));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

}  // namespace plimsoll::guest

#else

namespace plimsoll::guest {

bool HasShaInstructions() { return false; }
void AddBlocks(ShaState& /*state*/, std::span<const unsigned char> /*blocks*/) { PLIMSOLL_CHECK(false); }

}  // namespace plimsoll::guest

#endif
