#pragma once

#include <chrono>

#include "base/clock.h"

namespace plimsoll::wasm {

// Stops starting workers that do not come up. Opens after kFailuresToOpen failures in a row; while it is open one
// worker is tried at a time, after a pause that doubles up to kLongestPause. A worker that comes up closes it, but the
// next failure opens it again until a run has ended properly. A pure value: time is an argument.
class StartBreaker {
 public:
  static constexpr int kFailuresToOpen = 5;
  static constexpr std::chrono::milliseconds kFirstPause{500};
  static constexpr std::chrono::milliseconds kLongestPause{15'000};

  // A worker ended, or stayed silent, before it had any work.
  void StartFailed(base::SteadyTime now);
  // A worker said that it is ready.
  void StartSucceeded() { open_ = false; }
  // A worker told the end of a run: workers work.
  void RunEnded();

  bool is_open() const { return open_; }
  // When the next worker is tried; meaningful while open.
  base::SteadyTime next_try() const { return next_try_; }

 private:
  int failures_ = 0;
  bool open_ = false;
  std::chrono::milliseconds pause_ = kFirstPause;
  base::SteadyTime next_try_{};
};

}  // namespace plimsoll::wasm
