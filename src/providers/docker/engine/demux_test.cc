#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "providers/docker/engine/engine.h"

namespace plimsoll::docker {
namespace {

using Stream = Demux::Piece::Stream;

std::string Frame(char stream, std::string_view bytes, std::uint32_t announced) {
  std::string frame{stream, 0, 0, 0};
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame.push_back(static_cast<char>(announced >> static_cast<unsigned>(shift)));
  }
  return frame.append(bytes);
}

std::string Frame(char stream, std::string_view bytes) {
  return Frame(stream, bytes, static_cast<std::uint32_t>(bytes.size()));
}

struct Taken {
  std::string stdout_bytes;
  std::string stderr_bytes;
  int pieces = 0;
  bool faulty = false;
};

// Feeds `bytes` in pieces of `size`.
Taken FeedIn(std::string_view bytes, std::size_t size) {
  Demux demux;
  Taken taken;
  while (!bytes.empty() && !taken.faulty) {
    const auto status = demux.Feed(bytes.substr(0, size), [&](const Demux::Piece& piece) {
      (piece.stream == Stream::kStdout ? taken.stdout_bytes : taken.stderr_bytes) += piece.bytes;
      ++taken.pieces;
    });
    taken.faulty = !status;
    bytes.remove_prefix(std::min(size, bytes.size()));
  }
  return taken;
}

TEST(Demux, ENG7_CutsTheStreamWhereverItIsTorn) {
  const std::string stream = Frame(1, "hello ") + Frame(2, "oops") + Frame(1, "") + Frame(1, std::string("a\0b", 3)) +
                             Frame(2, std::string(300, 'x'));
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    const Taken taken = FeedIn(stream, size);
    EXPECT_EQ(taken.stdout_bytes, std::string("hello a\0b", 9)) << size;
    EXPECT_EQ(taken.stderr_bytes, "oops" + std::string(300, 'x')) << size;
    EXPECT_FALSE(taken.faulty);
  }
}

TEST(Demux, GivesWhatThereIsOfAFrameAtOnce) {
  const Taken taken = FeedIn(Frame(1, "partial", 0xFFFFFFFF), 1 << 20);
  EXPECT_EQ(taken.stdout_bytes, "partial");
  EXPECT_EQ(taken.pieces, 1);
}

TEST(Demux, ENG7_StaysStuckAfterAFrameOfNoKnownForm) {
  for (const std::string& head :
       {Frame(0, "x"), Frame(3, "x"), Frame(static_cast<char>(0x81), "x"), std::string("\1\1\0\0\0\0\0\1x", 9),
        std::string("\1\0\1\0\0\0\0\1x", 9), std::string("\1\0\0\1\0\0\0\1x", 9), std::string("HTTP/1.1 200 OK")}) {
    Demux demux;
    int pieces = 0;
    const auto count = [&](const Demux::Piece&) { ++pieces; };
    EXPECT_TRUE(demux.Feed(Frame(1, "good"), count));
    const auto status = demux.Feed(head, count);
    ASSERT_NE(base::FaultIn(status), nullptr);
    EXPECT_EQ(base::FaultIn(status)->kind, base::FaultKind::kInternal);
    EXPECT_FALSE(demux.Feed(Frame(1, "good"), count));
    EXPECT_FALSE(demux.Feed("", count));
    EXPECT_EQ(pieces, 1);
  }
}

}  // namespace
}  // namespace plimsoll::docker
