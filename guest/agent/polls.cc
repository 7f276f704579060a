#include "guest/agent/polls.h"

#include <algorithm>
#include <chrono>

namespace plimsoll::guest {

void Polls::Add(int fd, short events) {
  if (fd >= 0) {
    entries_.push_back({.fd = fd, .events = events, .revents = 0});
  }
}

void Polls::Wait(std::optional<base::SteadyTime> until, base::SteadyTime now) {
  timespec left = {};
  if (until) {
    const auto wait = std::max(std::chrono::nanoseconds(0), std::chrono::nanoseconds(*until - now));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
    left = {.tv_sec = seconds.count(), .tv_nsec = (wait - seconds).count()};
  }
  static_cast<void>(::ppoll(entries_.data(), entries_.size(), until ? &left : nullptr, nullptr));
}

}  // namespace plimsoll::guest
