#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/clock.h"
#include "base/result.h"
#include "os/unique_fd.h"

namespace plimsoll::os {

enum class Interest { kRead, kReadWrite };

// A watched descriptor that can be read (its end included) or written. `token` is what the watcher gave.
struct Event {
  std::uint64_t token = 0;
  bool readable = false;
  bool writable = false;
};

// Waits for many descriptors, one alarm and wake-ups on one thread. Level-triggered: an event that was not dealt with
// comes again. Watch, Change, Forget, SetAlarm and Wake may be called from any thread; Wait from one only.
class Poller {
 public:
  // Tokens from here up are the poller's own.
  static constexpr std::uint64_t kReservedTokens = ~std::uint64_t{1};

  // Fault kOverloaded when the machine is out of descriptors.
  static base::Result<std::unique_ptr<Poller>> Create();

  // `fd` is borrowed and must be forgotten before it is closed, unless nothing else holds the open file.
  base::Status Watch(int fd, std::uint64_t token, Interest interest);
  base::Status Change(int fd, std::uint64_t token, Interest interest);
  void Forget(int fd);

  // Ends a wait at `at`, an instant of the system's steady clock, replacing the alarm set before. A past instant ends
  // the wait at once. One system call.
  void SetAlarm(base::SteadyTime at);
  // Ends the present wait, or the next one.
  void Wake();

  // Events that are due, valid until the next Wait. Returns at the latest after `longest`, rounded up to milliseconds;
  // empty on an alarm, a wake-up or that time.
  std::span<const Event> Wait(std::chrono::milliseconds longest);

 private:
  Poller(UniqueFd epoll, UniqueFd wake, UniqueFd alarm);
  static constexpr std::size_t kBatch = 64;

  UniqueFd epoll_;
  UniqueFd wake_;
  UniqueFd alarm_;
  std::array<Event, kBatch> events_;
};

}  // namespace plimsoll::os
