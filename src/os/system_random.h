#pragma once

#include "base/random.h"

namespace plimsoll::os {

// The kernel's random bytes (getrandom).
class SystemRandom final : public base::Random {
 public:
  void Fill(std::span<std::byte> out) override;
};

}  // namespace plimsoll::os
