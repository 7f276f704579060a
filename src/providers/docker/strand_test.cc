#include "providers/docker/strand.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace plimsoll::docker {
namespace {

TEST(Strand, DoesItsJobsOneAfterTheOtherInTheirOrder) {
  WorkThreads threads("test", 4);
  const auto strand = std::make_shared<Strand>(threads);
  std::atomic<int> at_once = 0;
  std::vector<int> done;
  std::promise<void> over;
  for (int job = 0; job < 200; ++job) {
    strand->Post([&, job] {
      EXPECT_EQ(++at_once, 1);
      done.push_back(job);
      std::this_thread::yield();
      --at_once;
      if (job == 199) {
        over.set_value();
      }
    });
  }
  over.get_future().get();
  for (int job = 0; job < 200; ++job) {
    EXPECT_EQ(done[static_cast<std::size_t>(job)], job);
  }
}

TEST(Strand, AJobMayPostTheNextOneAndHoldsUpNoOtherStrand) {
  WorkThreads threads("test", 2);
  const auto one = std::make_shared<Strand>(threads);
  const auto other = std::make_shared<Strand>(threads);
  std::promise<void> go;
  std::promise<void> last;
  one->Post([&] {
    go.get_future().get();
    one->Post([&] { last.set_value(); });
  });
  other->Post([&] { go.set_value(); });
  EXPECT_EQ(last.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

}  // namespace
}  // namespace plimsoll::docker
