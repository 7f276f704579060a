#pragma once

#include <cstddef>
#include <span>

namespace plimsoll::base {

// Where unguessable bytes come from. Implementations may be called from any thread.
class Random {
 public:
  virtual ~Random() = default;
  // Fills `out` with bytes from a cryptographic source. Aborts the process where the source fails: nothing
  // that needs unguessable bytes can go on without them.
  virtual void Fill(std::span<std::byte> out) = 0;
};

}  // namespace plimsoll::base
