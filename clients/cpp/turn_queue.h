#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <utility>
#include <variant>

namespace plimsoll::client {

// One caller at a time, in the order in which they came. Thread-safe; outlives every turn.
class TurnQueue {
 public:
  // Held while it is the caller's turn; given back at its end.
  class Turn {
   public:
    Turn(Turn&& other) noexcept : queue_(std::exchange(other.queue_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn();

   private:
    friend class TurnQueue;
    explicit Turn(TurnQueue& queue) : queue_(&queue) {}
    TurnQueue* queue_;
  };
  // Why the turn did not come. The others' places are as they would be had this caller never come.
  enum class Missed { kCanceled, kTimedOut };

  // Waits for the turn, at most so long.
  std::variant<Turn, Missed> Take(const std::stop_token& cancel, std::chrono::milliseconds at_most);

 private:
  void GiveBack();

  std::mutex mutex_;
  std::condition_variable_any moved_;
  std::uint64_t next_ticket_ = 0;
  std::deque<std::uint64_t> tickets_;  // the first one's holder has the turn
};

}  // namespace plimsoll::client
