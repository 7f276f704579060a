#include "rpc/deadlines.h"

#include <algorithm>
#include <chrono>

namespace plimsoll::rpc {
namespace {

// The longest single wait; what is further ahead is looked at again then.
constexpr std::chrono::nanoseconds kLongestWait = std::chrono::hours(1);

}  // namespace

Deadlines::Deadlines(const base::Clock& clock)
    : clock_(clock), thread_([this](std::stop_token stop) { Serve(std::move(stop)); }) {}

Deadlines::~Deadlines() = default;

base::Cleanup Deadlines::At(base::SteadyTime when, base::UniqueFunction<void()> passed) {
  Key key;
  {
    const std::lock_guard lock(mutex_);
    key = {when, next_++};
    waiting_.emplace(key, std::move(passed));
    if (waiting_.begin()->first == key) {
      changed_.notify_one();
    }
  }
  return base::Cleanup([this, key] {
    base::UniqueFunction<void()> dropped;  // destroyed after the lock is given up
    const std::lock_guard lock(mutex_);
    if (const auto found = waiting_.find(key); found != waiting_.end()) {
      dropped = std::move(found->second);
      waiting_.erase(found);
    }
  });
}

void Deadlines::Serve(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (waiting_.empty()) {
      changed_.wait_for(lock, stop, kLongestWait, [this] { return !waiting_.empty(); });
      continue;
    }
    const Key first = waiting_.begin()->first;
    const auto ahead = first.first - clock_.Steady();
    if (ahead > ahead.zero()) {
      changed_.wait_for(lock, stop, std::min<std::chrono::nanoseconds>(ahead, kLongestWait),
                        [&] { return waiting_.empty() || waiting_.begin()->first != first; });
      continue;
    }
    auto passed = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    lock.unlock();
    passed();
    passed = {};
    lock.lock();
  }
}

}  // namespace plimsoll::rpc
