#include "providers/docker/strand.h"

#include <utility>

namespace plimsoll::docker {

void Strand::Post(base::UniqueFunction<void()> job) {
  {
    auto desk = desk_.Lock();
    desk->jobs.push_back(std::move(job));
    if (std::exchange(desk->working, true)) {
      return;
    }
  }
  threads_.Submit([self = shared_from_this()] { self->Work(); });
}

void Strand::Work() {
  for (;;) {
    base::UniqueFunction<void()> job;
    {
      auto desk = desk_.Lock();
      if (desk->jobs.empty()) {
        desk->working = false;
        return;
      }
      job = std::move(desk->jobs.front());
      desk->jobs.pop_front();
    }
    job();
  }
}

}  // namespace plimsoll::docker
