#include "providers/wasm/start_breaker.h"

#include <algorithm>

namespace plimsoll::wasm {

void StartBreaker::StartFailed(base::SteadyTime now) {
  ++failures_;
  if (failures_ < kFailuresToOpen) {
    return;
  }
  if (open_ && now < next_try_) {
    return;  // one of several starts that were under way when it opened
  }
  open_ = true;
  next_try_ = now + pause_;
  pause_ = std::min(2 * pause_, kLongestPause);
}

void StartBreaker::RunEnded() {
  failures_ = 0;
  pause_ = kFirstPause;
}

}  // namespace plimsoll::wasm
