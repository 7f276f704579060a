#include "os/poller.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "os/errno_fault.h"

namespace plimsoll::os {
namespace {

constexpr std::uint64_t kWakeToken = Poller::kReservedTokens;
constexpr std::uint64_t kAlarmToken = Poller::kReservedTokens + 1;

epoll_event EventFor(std::uint64_t token, Interest interest) {
  epoll_event event = {};
  event.events = interest == Interest::kRead ? EPOLLIN : EPOLLIN | EPOLLOUT;
  event.data.u64 = token;
  return event;
}

// Empties an eventfd or timerfd, so that it is no longer readable.
void Clear(int fd) {
  std::uint64_t count = 0;
  static_cast<void>(!::read(fd, &count, sizeof count));
}

}  // namespace

Poller::Poller(UniqueFd epoll, UniqueFd wake, UniqueFd alarm)
    : epoll_(std::move(epoll)), wake_(std::move(wake)), alarm_(std::move(alarm)) {}

base::Result<std::unique_ptr<Poller>> Poller::Create() {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  UniqueFd alarm(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!epoll.is_open() || !wake.is_open() || !alarm.is_open()) {
    return ErrnoFault("create an epoll, event or timer descriptor", errno);
  }
  std::unique_ptr<Poller> poller(new Poller(std::move(epoll), std::move(wake), std::move(alarm)));
  for (const auto& [fd, token] :
       {std::pair{poller->wake_.get(), kWakeToken}, std::pair{poller->alarm_.get(), kAlarmToken}}) {
    if (auto watched = poller->Watch(fd, token, Interest::kRead); !watched) {
      return watched.error();
    }
  }
  return poller;
}

base::Status Poller::Watch(int fd, std::uint64_t token, Interest interest) {
  epoll_event event = EventFor(token, interest);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return ErrnoFault("epoll_ctl add", errno);
  }
  return base::Ok();
}

base::Status Poller::Change(int fd, std::uint64_t token, Interest interest) {
  epoll_event event = EventFor(token, interest);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) != 0) {
    return ErrnoFault("epoll_ctl change", errno);
  }
  return base::Ok();
}

void Poller::Forget(int fd) { static_cast<void>(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr)); }

void Poller::SetAlarm(base::SteadyTime at) {
  // steady_clock is CLOCK_MONOTONIC in the standard library we build with. An instant of 0 would disarm the timer.
  const auto since_boot = std::max(std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()),
                                   std::chrono::nanoseconds(1));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  itimerspec when = {};
  when.it_value.tv_sec = seconds.count();
  when.it_value.tv_nsec = (since_boot - seconds).count();
  PLIMSOLL_CHECK(::timerfd_settime(alarm_.get(), TFD_TIMER_ABSTIME, &when, nullptr) == 0);
}

void Poller::Wake() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_.get(), &one, sizeof one));
}

std::span<const Event> Poller::Wait(std::chrono::milliseconds longest) {
  std::array<epoll_event, kBatch> due;
  const int count = ::epoll_wait(epoll_.get(), due.data(), static_cast<int>(due.size()),
                                 static_cast<int>(std::clamp<std::int64_t>(longest.count(), 0, 3'600'000)));
  std::size_t kept = 0;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = due[static_cast<std::size_t>(i)];
    if (event.data.u64 == kWakeToken) {
      Clear(wake_.get());
    } else if (event.data.u64 == kAlarmToken) {
      Clear(alarm_.get());
    } else {
      events_[kept++] = {.token = event.data.u64,
                         .readable = (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0,
                         .writable = (event.events & EPOLLOUT) != 0};
    }
  }
  return std::span(events_).first(kept);
}

}  // namespace plimsoll::os
