#include "sessions/turn.h"

#include "base/check.h"

namespace plimsoll::sessions {

bool Turn::Take() { return !std::exchange(held_, true); }

std::optional<std::uint64_t> Turn::Wait(Granted granted) {
  PLIMSOLL_CHECK(held_);
  if (waiting_) {
    return std::nullopt;
  }
  const std::uint64_t ticket = next_++;
  waiting_ = Waiter{ticket, std::move(granted)};
  return ticket;
}

Turn::Granted Turn::Leave(std::uint64_t ticket) {
  if (!waiting_ || waiting_->ticket != ticket) {
    return {};
  }
  Granted left = std::move(waiting_->granted);
  waiting_.reset();
  return left;
}

Turn::Granted Turn::Give() {
  PLIMSOLL_CHECK(held_);
  if (!waiting_) {
    held_ = false;
    return {};
  }
  Granted next = std::move(waiting_->granted);
  waiting_.reset();
  return next;
}

}  // namespace plimsoll::sessions
