#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/unique_function.h"

namespace plimsoll::rpc {

// Calls back when a caller's deadline passes. One thread for all of them. Methods may be called from any thread.
class Deadlines {
 public:
  // `clock` must outlive this.
  explicit Deadlines(const base::Clock& clock);
  ~Deadlines();  // stops; deadlines still ahead are dropped

  // Calls `passed` once, on the thread of this object, when `when` is reached, unless the Cleanup is released before.
  // `passed` must not block. A release does not wait for a call that has begun. The Cleanup must not outlive this.
  [[nodiscard]] base::Cleanup At(base::SteadyTime when, base::UniqueFunction<void()> passed);

 private:
  using Key = std::pair<base::SteadyTime, std::uint64_t>;
  void Serve(std::stop_token stop);

  const base::Clock& clock_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<Key, base::UniqueFunction<void()>> waiting_;  // under mutex_
  std::uint64_t next_ = 0;                               // under mutex_
  std::jthread thread_;                                  // last: it uses the rest
};

}  // namespace plimsoll::rpc
