#pragma once

#include <chrono>

#include "admission/places.h"

namespace plimsoll::sessions {

// The operator's bounds. A caller can only shorten the times (sessions.md 3).
struct Options {
  admission::SessionCaps caps = {};  // caps.max 0: sessions are off
  std::chrono::milliseconds lifetime{0};
  std::chrono::milliseconds idle{0};  // 0: never suspended
};

}  // namespace plimsoll::sessions
