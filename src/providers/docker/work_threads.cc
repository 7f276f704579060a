#include "providers/docker/work_threads.h"

#include <utility>

#include "base/check.h"
#include "os/thread_name.h"

namespace plimsoll::docker {

WorkThreads::~WorkThreads() {
  std::vector<std::jthread> threads;
  {
    auto desk = desk_.Lock();
    desk->ending = true;
    threads = std::move(desk->threads);
  }
  changed_.notify_all();
}

void WorkThreads::Submit(base::UniqueFunction<void()> work) {
  auto desk = desk_.Lock();
  PLIMSOLL_CHECK(!desk->ending);
  desk->work.push_back(std::move(work));
  if (desk->work.size() > desk->idle && desk->threads.size() < limit_) {
    desk->threads.emplace_back([this] { Serve(); });
  }
  desk.lock().unlock();
  changed_.notify_one();
}

void WorkThreads::Serve() {
  os::NameThisThread(name_);
  for (;;) {
    auto desk = desk_.Lock();
    ++desk->idle;
    // Ends by work or by the destructor, which waits for this thread.
    changed_.wait(desk.lock(), [&] { return !desk->work.empty() || desk->ending; });
    --desk->idle;
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
