#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "providers/wasm/engine/machine_unsafe.h"

namespace plimsoll::wasm {

// What the engine made before the image was taken, by its place in linear memory. The same in every run.
struct Roots {
  Address context;          // the engine's context
  Address scratch;          // 64 bytes for results of calls
  Address undefined;        // handle
  Address file_name;        // `<cmdline>`
  Address drive;            // handle of the prelude's end of the event loop
  Address run_timers;       // handle of a function
  Address format_uncaught;  // handle of a function
  Address random_state;     // the eight bytes behind Math.random
};

// The state of a machine at one moment: the bytes of its memory, outside its stacks, and the roots in them. Pages that
// hold only zeros are not kept: long runs of them are given back to the kernel, which makes them zero again when they
// are next touched. Made once, when the program is built, and then part of it.
class Image {
 public:
  static constexpr std::uint32_t kPage = 4096;

  // The state of `machine` as it is now, as bytes for Read.
  static std::string Write(Machine& machine, const Roots& roots);

  // Takes the bytes of Write, which must live as long as the image. Nothing when they are of another module's machine
  // or not whole.
  static std::optional<Image> Read(std::span<const std::uint8_t> saved);

  const Roots& roots() const { return roots_; }
  std::uint32_t pages() const { return pages_; }

  // Grows a fresh machine to the image's size and writes the image into it. False when memory cannot be had.
  bool Load(Machine& machine) const;

  // Makes the memory of a machine of the image's size what it was when the image was made. Cost: one comparison of the
  // kept pages, a copy of those that differ, a call to the kernel for each long run of zeros.
  void Restore(Machine& machine) const;

 private:
  struct Run {
    Address address;
    std::uint32_t bytes;    // whole pages
    std::uint32_t kept_at;  // offset in kept_, or kZeros
  };
  static constexpr std::uint32_t kZeros = 0xffffffff;
  struct Header;

  static void Append(std::span<std::uint8_t> memory, Address begin, Address end, std::vector<Run>& runs,
                     std::string& kept);

  Roots roots_{};
  std::uint32_t pages_ = 0;
  std::vector<Run> runs_;
  std::span<const std::uint8_t> kept_;
};

}  // namespace plimsoll::wasm
