#include "base/deadlines.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace plimsoll::base {
namespace {

// The longest single wait; what is further ahead is looked at again then.
constexpr std::chrono::nanoseconds kLongestWait = std::chrono::hours(1);

}  // namespace

struct Deadlines::State {
  using Key = std::pair<SteadyTime, std::uint64_t>;  // the number keeps equal times apart
  using Calls = std::map<Key, UniqueFunction<void()>>;

  std::mutex mutex;
  std::condition_variable_any sooner;
  Calls waiting;           // under mutex
  std::uint64_t next = 0;  // under mutex
  SteadyTime wake{};       // under mutex: when the thread looks again. It is woken only for an earlier time, so that
                           // calls with the same time-out, one after another, do not wake it each.

  // Taken out, so that what a call owns is destroyed after the lock was given up.
  Calls::node_type Take(const Key& key) {
    const std::lock_guard lock(mutex);
    return waiting.extract(key);
  }
};

Deadlines::Deadlines(const Clock& clock)
    : clock_(clock), state_(std::make_shared<State>()), thread_([this](const std::stop_token& stop) { Serve(stop); }) {}

Deadlines::~Deadlines() {
  thread_.request_stop();
  thread_.join();
  State::Calls dropped;
  const std::lock_guard lock(state_->mutex);
  dropped.swap(state_->waiting);
}

Cleanup Deadlines::At(SteadyTime when, UniqueFunction<void()> passed) {
  State::Key key;
  {
    const std::lock_guard lock(state_->mutex);
    key = {when, state_->next++};
    state_->waiting.emplace(key, std::move(passed));
    if (when < state_->wake) {
      state_->wake = when;
      state_->sooner.notify_one();
    }
  }
  return Cleanup([state = state_, key] { state->Take(key); });
}

void Deadlines::Serve(const std::stop_token& stop) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  while (!stop.stop_requested()) {
    const SteadyTime now = clock_.Steady();
    if (state.waiting.empty() || state.waiting.begin()->first.first > now) {
      const SteadyTime last = now + kLongestWait;
      const SteadyTime wake = state.waiting.empty() ? last : std::min(last, state.waiting.begin()->first.first);
      state.wake = wake;
      state.sooner.wait_for(lock, stop, wake - now, [&] { return state.wake < wake; });
      continue;
    }
    auto call = state.waiting.extract(state.waiting.begin());
    lock.unlock();
    call.mapped()();
    call = {};
    lock.lock();
  }
}

}  // namespace plimsoll::base
