#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll::wasm {

// The bytes of a memory at one moment, and how to bring the memory back to them. Pages that hold only zeros are not
// kept: long runs of them are given back to the kernel, which makes them zero again when they are next touched.
class Image {
 public:
  static constexpr std::size_t kPage = 4096;

  // Adds `part`, which starts and ends at a page, to the image as it is now. It must stay mapped, private and
  // anonymous.
  void Take(std::span<std::uint8_t> part);

  // Makes every part what it was when taken. Cost: one comparison of the kept pages, a copy of those that differ.
  void Restore() const;

  std::size_t kept_bytes() const { return kept_.size(); }

 private:
  struct Run {
    std::uint8_t* live;   // in the memory
    std::size_t bytes;    // whole pages
    std::size_t kept_at;  // offset in kept_, or kZero
  };
  static constexpr std::size_t kZero = static_cast<std::size_t>(-1);
  // Below this, comparing is cheaper than a call to the kernel and the faults that follow.
  static constexpr std::size_t kShortestZeroRun = 16 * kPage;

  std::vector<Run> runs_;
  std::vector<std::uint8_t> kept_;
};

}  // namespace plimsoll::wasm
