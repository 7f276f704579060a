#include "os/socket_pair.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace plimsoll::os {
namespace {

TEST(SocketPair, OS1_IsCloseOnExecAndOnlyOurEndDoesNotBlock) {
  const auto pair = MakeSocketPair();
  ASSERT_TRUE(pair);
  for (const int fd : {pair->ours.get(), pair->theirs.get()}) {
    EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  }
  EXPECT_NE(::fcntl(pair->ours.get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(::fcntl(pair->theirs.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(SocketPair, CarriesBytesAndSaysWhenThereAreNone) {
  const auto pair = MakeSocketPair();
  ASSERT_TRUE(pair);
  std::array<char, 8> buffer;
  EXPECT_EQ(Receive(pair->ours.get(), buffer).state, Transfer::kWouldBlock);
  EXPECT_EQ(Peek(pair->ours.get()), Transfer::kWouldBlock);
  ASSERT_EQ(Send(pair->theirs.get(), "abc").bytes, 3U);
  EXPECT_EQ(Peek(pair->ours.get()), Transfer::kMoved);
  const Transferred got = Receive(pair->ours.get(), buffer);
  ASSERT_EQ(got.state, Transfer::kMoved);
  EXPECT_EQ(std::string(buffer.data(), got.bytes), "abc");
}

TEST(SocketPair, OS6_SaysClosedWithoutASignalWhenTheOtherEndIsGone) {
  auto pair = MakeSocketPair();
  ASSERT_TRUE(pair);
  ASSERT_EQ(Send(pair->theirs.get(), "x").bytes, 1U);
  pair->theirs.Close();
  EXPECT_EQ(Send(pair->ours.get(), "y").state, Transfer::kClosed);
  std::array<char, 8> buffer;
  EXPECT_EQ(Receive(pair->ours.get(), buffer).bytes, 1U);  // what was sent before the end is not lost
  EXPECT_EQ(Receive(pair->ours.get(), buffer).state, Transfer::kClosed);
  EXPECT_EQ(Peek(pair->ours.get()), Transfer::kClosed);
}

TEST(SocketPair, SendsOnlyAPrefixOnceTheBufferIsFull) {
  const auto pair = MakeSocketPair();
  ASSERT_TRUE(pair);
  const std::string bytes(std::size_t{4} << 20, 'x');
  const Transferred sent = Send(pair->ours.get(), bytes);
  ASSERT_EQ(sent.state, Transfer::kMoved);
  EXPECT_LT(sent.bytes, bytes.size());
  EXPECT_EQ(Send(pair->ours.get(), bytes).state, Transfer::kWouldBlock);
}

}  // namespace
}  // namespace plimsoll::os
