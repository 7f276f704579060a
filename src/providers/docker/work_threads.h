#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/unique_function.h"

namespace plimsoll::docker {

// Threads for work that blocks: one is started when work comes and none is idle, up to a limit, and kept for more. Work
// beyond the limit waits its turn. Thread-safe.
class WorkThreads {
 public:
  WorkThreads(std::string thread_name, std::size_t limit) : name_(std::move(thread_name)), limit_(limit) {}
  // Does all that was submitted, then ends the threads.
  ~WorkThreads();
  WorkThreads(const WorkThreads&) = delete;
  WorkThreads& operator=(const WorkThreads&) = delete;

  void Submit(base::UniqueFunction<void()> work);
  // Threads started so far.
  std::size_t Count() { return desk_.Lock()->threads.size(); }

 private:
  struct Desk {
    std::deque<base::UniqueFunction<void()>> work;
    std::size_t idle = 0;
    bool ending = false;
    std::vector<std::jthread> threads;
  };
  void Serve();

  const std::string name_;
  const std::size_t limit_;
  base::Guarded<Desk> desk_;
  std::condition_variable changed_;
};

}  // namespace plimsoll::docker
