#include "providers/docker/work_threads.h"

#include <utility>

#include "base/check.h"
#include "os/thread_name.h"

namespace plimsoll::docker {

WorkThreads::WorkThreads(const char* thread_name, std::size_t count) {
  threads_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    threads_.emplace_back([this, thread_name] {
      os::NameThisThread(thread_name);
      Serve();
    });
  }
}

WorkThreads::~WorkThreads() {
  desk_.Lock()->ending = true;
  changed_.notify_all();
}

void WorkThreads::Submit(base::UniqueFunction<void()> work) {
  {
    auto desk = desk_.Lock();
    PLIMSOLL_CHECK(!desk->ending);
    desk->work.push_back(std::move(work));
  }
  changed_.notify_one();
}

void WorkThreads::Serve() {
  for (;;) {
    auto desk = desk_.Lock();
    // Ends by work or by the destructor, which waits for this thread.
    changed_.wait(desk.lock(), [&] { return !desk->work.empty() || desk->ending; });
    if (desk->work.empty()) {
      return;
    }
    auto work = std::move(desk->work.front());
    desk->work.pop_front();
    desk.lock().unlock();
    work();
  }
}

}  // namespace plimsoll::docker
