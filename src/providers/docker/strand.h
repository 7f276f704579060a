#pragma once

#include <deque>
#include <memory>

#include "base/guarded.h"
#include "base/unique_function.h"
#include "providers/docker/work_threads.h"

namespace plimsoll::docker {

// Jobs that are done one after the other, in the order they were posted, on some of the threads: never two at a time,
// and at most one thread is taken up. Thread-safe.
class Strand : public std::enable_shared_from_this<Strand> {
 public:
  // `threads` must outlive every job.
  explicit Strand(WorkThreads& threads) : threads_(threads) {}

  void Post(base::UniqueFunction<void()> job);

 private:
  struct Desk {
    std::deque<base::UniqueFunction<void()>> jobs;
    bool working = false;
  };
  void Work();

  WorkThreads& threads_;
  base::Guarded<Desk> desk_;
};

}  // namespace plimsoll::docker
