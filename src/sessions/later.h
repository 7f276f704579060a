#pragma once

#include <utility>
#include <vector>

#include "base/unique_function.h"

namespace plimsoll::sessions {

// Work that is decided under a lock and done after it: declared before the lock, so that it goes after it. In the order
// in which it was added.
class Later {
 public:
  Later() = default;
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;
  ~Later() {
    for (auto& step : steps_) {
      step();
    }
  }

  void Do(base::UniqueFunction<void()> step) { steps_.push_back(std::move(step)); }

 private:
  std::vector<base::UniqueFunction<void()>> steps_;
};

}  // namespace plimsoll::sessions
