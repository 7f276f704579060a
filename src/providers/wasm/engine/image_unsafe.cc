#include "providers/wasm/engine/image_unsafe.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace plimsoll::wasm {
namespace {

bool IsZero(const std::uint8_t* page) { return page[0] == 0 && std::memcmp(page, page + 1, Image::kPage - 1) == 0; }

std::size_t LengthOfRun(std::span<std::uint8_t> rest, bool zero) {
  std::size_t length = 0;
  while (length < rest.size() && IsZero(rest.data() + length) == zero) {
    length += Image::kPage;
  }
  return length;
}

}  // namespace

void Image::Take(std::span<std::uint8_t> part) {
  PLIMSOLL_CHECK(part.size() % kPage == 0 && reinterpret_cast<std::uintptr_t>(part.data()) % kPage == 0);
  while (!part.empty()) {
    const std::size_t zeros = LengthOfRun(part, true);
    if (zeros >= kShortestZeroRun) {
      runs_.push_back({.live = part.data(), .bytes = zeros, .kept_at = kZero});
      part = part.subspan(zeros);
      continue;
    }
    const std::size_t bytes = zeros + LengthOfRun(part.subspan(zeros), false);
    runs_.push_back({.live = part.data(), .bytes = bytes, .kept_at = kept_.size()});
    kept_.insert(kept_.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(bytes));
    part = part.subspan(bytes);
  }
}

void Image::Restore() const {
  for (const Run& run : runs_) {
    if (run.kept_at == kZero) {
      // SAFETY: whole pages of a private anonymous mapping that belongs to this image; they read as zeros afterwards.
      PLIMSOLL_CHECK(madvise(run.live, run.bytes, MADV_DONTNEED) == 0);
      continue;
    }
    const std::uint8_t* kept = kept_.data() + run.kept_at;
    for (std::size_t at = 0; at < run.bytes; at += kPage) {
      if (std::memcmp(run.live + at, kept + at, kPage) != 0) {
        std::memcpy(run.live + at, kept + at, kPage);
      }
    }
  }
}

}  // namespace plimsoll::wasm
