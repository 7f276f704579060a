#include "os/wait.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "os/socket_pair.h"

namespace plimsoll::os {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct Waiting {
  SocketPair pair = std::move(MakeSocketPair()).value();
  Flag flag = std::move(Flag::Create()).value();
  Woken Wait(Interest interest, milliseconds longest) {
    return WaitFor(pair.ours.get(), interest, flag, steady_clock::now() + longest);
  }
};

TEST(WaitFor, ReportsBytesEndAndRoomToWrite) {
  Waiting w;
  EXPECT_EQ(w.Wait(Interest::kRead, milliseconds(0)), Woken::kDeadline);
  EXPECT_EQ(w.Wait(Interest::kReadWrite, milliseconds(0)), Woken::kReady);
  ASSERT_EQ(Send(w.pair.theirs.get(), "x").bytes, 1U);
  EXPECT_EQ(w.Wait(Interest::kRead, milliseconds(0)), Woken::kReady);
  Waiting ended;
  ended.pair.theirs.Close();
  EXPECT_EQ(ended.Wait(Interest::kRead, milliseconds(10'000)), Woken::kReady);
}

TEST(WaitFor, EndsAtItsDeadlineAndNotBefore) {
  Waiting w;
  const auto begin = steady_clock::now();
  EXPECT_EQ(w.Wait(Interest::kRead, milliseconds(30)), Woken::kDeadline);
  EXPECT_GE(steady_clock::now() - begin, milliseconds(30));
}

TEST(WaitFor, AFlagRaisedByAnotherThreadEndsItAndStaysRaised) {
  Waiting w;
  std::jthread other([&w] {
    std::this_thread::sleep_for(milliseconds(20));
    w.flag.Raise();
  });
  EXPECT_EQ(w.Wait(Interest::kRead, milliseconds(10'000)), Woken::kFlag);
  EXPECT_EQ(w.Wait(Interest::kRead, milliseconds(10'000)), Woken::kFlag);
  ASSERT_EQ(Send(w.pair.theirs.get(), "x").bytes, 1U);
  EXPECT_EQ(w.Wait(Interest::kRead, milliseconds(10'000)), Woken::kReady);  // what is there comes first
}

}  // namespace
}  // namespace plimsoll::os
