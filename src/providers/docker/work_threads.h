#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/unique_function.h"

namespace plimsoll::docker {

// So many threads for work that blocks, all of them from the beginning: what the process holds does not grow with what
// it has done (P70), and no run meets a machine that has no thread left for it. Work beyond them waits its turn.
// Thread-safe.
class WorkThreads {
 public:
  WorkThreads(const char* thread_name, std::size_t count);
  // Does all that was submitted, then ends the threads.
  ~WorkThreads();
  WorkThreads(const WorkThreads&) = delete;
  WorkThreads& operator=(const WorkThreads&) = delete;

  void Submit(base::UniqueFunction<void()> work);

 private:
  struct Desk {
    std::deque<base::UniqueFunction<void()>> work;
    bool ending = false;
  };
  void Serve();

  base::Guarded<Desk> desk_;
  std::condition_variable changed_;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace plimsoll::docker
