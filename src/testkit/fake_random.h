#pragma once

#include <cstdint>
#include <mutex>
#include <random>

#include "base/random.h"

namespace plimsoll::testkit {

// The same bytes for the same seed, on every machine. Thread-safe.
class FakeRandom final : public base::Random {
 public:
  explicit FakeRandom(std::uint64_t seed = 1) : engine_(seed) {}

  void Fill(std::span<std::byte> out) override {
    const std::lock_guard lock(mutex_);
    for (std::byte& byte : out) {
      byte = static_cast<std::byte>(engine_() >> 56);
    }
  }

 private:
  std::mutex mutex_;
  std::mt19937_64 engine_;
};

}  // namespace plimsoll::testkit
