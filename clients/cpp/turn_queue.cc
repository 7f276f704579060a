#include "clients/cpp/turn_queue.h"

namespace plimsoll::client {

TurnQueue::Turn::~Turn() {
  if (queue_ != nullptr) {
    queue_->GiveBack();
  }
}

std::variant<TurnQueue::Turn, TurnQueue::Missed> TurnQueue::Take(const std::stop_token& cancel,
                                                                 std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = next_ticket_++;
  tickets_.push_back(mine);
  if (moved_.wait_for(lock, cancel, at_most, [&] { return tickets_.front() == mine; })) {
    return Turn(*this);
  }
  std::erase(tickets_, mine);
  return cancel.stop_requested() ? Missed::kCanceled : Missed::kTimedOut;
}

void TurnQueue::GiveBack() {
  {
    const std::lock_guard lock(mutex_);
    tickets_.pop_front();
  }
  moved_.notify_all();
}

}  // namespace plimsoll::client
