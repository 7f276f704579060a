#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/unique_function.h"

namespace plimsoll::http {

// What a loop asks of the connections on it. On the loop's thread only.
class LoopMember {
 public:
  virtual ~LoopMember() = default;
  virtual void Drain() = 0;
  virtual void CloseNow() = 0;
};

// Counts the open connections of one listener.
class ConnectionCount {
 public:
  // `freed` is called after each decrease, from the thread that made it.
  explicit ConnectionCount(base::UniqueFunction<void()> freed) : freed_(std::move(freed)) {}

  void Increase();
  void Decrease();
  std::size_t Now();
  // Waits until none is left; false when some are at the deadline.
  bool WaitForNone(std::chrono::milliseconds limit);

 private:
  base::Guarded<std::size_t> open_;
  std::condition_variable changed_;
  base::UniqueFunction<void()> freed_;
};

// One thread that runs the connections given to it; they never leave it.
class Loop {
 public:
  Loop();
  ~Loop();  // stops

  boost::asio::io_context& io() { return io_; }
  static base::SteadyTime Now();

  // Starts the thread. Call once.
  void Start();
  // Closes its connections and joins the thread. May be repeated.
  void Stop();
  // Runs `action` on the thread; drops it when the loop has stopped. Any thread, also after Stop.
  void Post(base::UniqueFunction<void()> action);

  // On the thread.
  void Join(std::shared_ptr<LoopMember> member);
  void Leave(LoopMember& member);
  void DrainAll();

 private:
  void CloseAll();
  std::vector<std::shared_ptr<LoopMember>> Members() const;

  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::unordered_map<LoopMember*, std::shared_ptr<LoopMember>> members_;
  bool draining_ = false;
  std::jthread thread_;
};

}  // namespace plimsoll::http
