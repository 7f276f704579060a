#include "rpc/deadlines.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace plimsoll::rpc {
namespace {

// The longest single wait; what is further ahead is looked at again then.
constexpr std::chrono::nanoseconds kLongestWait = std::chrono::hours(1);

}  // namespace

struct Deadlines::State {
  using Key = std::pair<base::SteadyTime, std::uint64_t>;  // the number keeps equal times apart
  using Calls = std::map<Key, base::UniqueFunction<void()>>;

  std::mutex mutex;
  std::condition_variable_any changed;
  Calls waiting;           // under mutex
  std::uint64_t next = 0;  // under mutex

  // Taken out, so that what a call owns is destroyed after the lock was given up.
  Calls::node_type Take(const Key& key) {
    const std::lock_guard lock(mutex);
    return waiting.extract(key);
  }
};

Deadlines::Deadlines(const base::Clock& clock)
    : clock_(clock),
      state_(std::make_shared<State>()),
      thread_([this](std::stop_token stop) { Serve(std::move(stop)); }) {}

Deadlines::~Deadlines() {
  thread_.request_stop();
  thread_.join();
  State::Calls dropped;
  const std::lock_guard lock(state_->mutex);
  dropped.swap(state_->waiting);
}

base::Cleanup Deadlines::At(base::SteadyTime when, base::UniqueFunction<void()> passed) {
  State::Key key;
  {
    const std::lock_guard lock(state_->mutex);
    key = {when, state_->next++};
    state_->waiting.emplace(key, std::move(passed));
    if (state_->waiting.begin()->first == key) {
      state_->changed.notify_one();
    }
  }
  return base::Cleanup([state = state_, key] { state->Take(key); });
}

void Deadlines::Serve(std::stop_token stop) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  while (!stop.stop_requested()) {
    if (state.waiting.empty()) {
      state.changed.wait_for(lock, stop, kLongestWait, [&] { return !state.waiting.empty(); });
      continue;
    }
    const State::Key first = state.waiting.begin()->first;
    const auto ahead = first.first - clock_.Steady();
    if (ahead > ahead.zero()) {
      state.changed.wait_for(lock, stop, std::min<std::chrono::nanoseconds>(ahead, kLongestWait),
                             [&] { return state.waiting.empty() || state.waiting.begin()->first != first; });
      continue;
    }
    auto call = state.waiting.extract(state.waiting.begin());
    lock.unlock();
    call.mapped()();
    call = {};
    lock.lock();
  }
}

}  // namespace plimsoll::rpc
