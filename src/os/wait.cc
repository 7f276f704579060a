#include "os/wait.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>

#include "os/errno_fault.h"

namespace plimsoll::os {
namespace {

timespec Until(base::SteadyTime deadline) {
  // steady_clock is CLOCK_MONOTONIC in the standard library we build with. An hour bounds what a far deadline adds up
  // to.
  const auto left = std::clamp<std::chrono::nanoseconds>(deadline - std::chrono::steady_clock::now(),
                                                         std::chrono::nanoseconds(0), std::chrono::hours(1));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  timespec time = {};
  time.tv_sec = seconds.count();
  time.tv_nsec = (left - seconds).count();
  return time;
}

}  // namespace

base::Result<Flag> Flag::Create() {
  UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event.is_open()) {
    return ErrnoFault("eventfd", errno);
  }
  return Flag(std::move(event));
}

void Flag::Raise() const {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(event_.get(), &one, sizeof one));
}

Woken WaitFor(int fd, Interest interest, const Flag& flag, base::SteadyTime deadline) {
  const short events = interest == Interest::kRead ? POLLIN : POLLIN | POLLOUT;
  std::array<pollfd, 2> watched = {
      {{.fd = fd, .events = events, .revents = 0}, {.fd = flag.fd(), .events = POLLIN, .revents = 0}}};
  for (;;) {
    const timespec left = Until(deadline);
    const int count = ::ppoll(watched.data(), watched.size(), &left, nullptr);
    if (count > 0) {
      return watched[0].revents != 0 ? Woken::kReady : Woken::kFlag;
    }
    // An interrupted wait goes on; anything else that fails is a mistake of ours, and ends as a wait that saw nothing.
    if (count == 0 ? left.tv_sec < 3600 : errno != EINTR) {
      return Woken::kDeadline;
    }
  }
}

}  // namespace plimsoll::os
