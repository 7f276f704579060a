#pragma once

#include <utility>

#include "base/unique_function.h"

namespace plimsoll::base {

// Runs its action once, when destroyed or released, whichever comes first. For giving back a slot or a count.
class Cleanup {
 public:
  Cleanup() = default;
  explicit Cleanup(UniqueFunction<void()> action) : action_(std::move(action)) {}
  Cleanup(Cleanup&& other) noexcept : action_(std::exchange(other.action_, {})) {}
  Cleanup& operator=(Cleanup&& other) noexcept {
    if (this != &other) {
      Release();
      action_ = std::exchange(other.action_, {});
    }
    return *this;
  }
  ~Cleanup() { Release(); }

  // Runs the action now; later calls do nothing.
  void Release() {
    if (auto action = std::exchange(action_, {})) {
      action();
    }
  }

 private:
  UniqueFunction<void()> action_;
};

}  // namespace plimsoll::base
