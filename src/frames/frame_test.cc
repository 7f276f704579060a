#include "frames/frame.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace plimsoll::frames {
namespace {

std::string Encoded(Type type, std::string_view body) {
  std::string out;
  Append(type, body, out);
  return out;
}

std::string Raw(std::uint8_t type, std::uint32_t size, std::string_view body = "") {
  std::string out(1, static_cast<char>(type));
  for (int shift = 0; shift < 32; shift += 8) {
    out.push_back(static_cast<char>(size >> shift));
  }
  return out.append(body);
}

TEST(Frame, HasTheBytesOfTheFormat) {
  EXPECT_EQ(Encoded(Type::kStdout, "hi"), std::string("\x03\x02\x00\x00\x00hi", 7));
  EXPECT_EQ(Encoded(Type::kReady, ""), std::string("\x01\x00\x00\x00\x00", 5));
}

TEST(RunOrder, ComesBackAsItWasSent) {
  RunOrder order{.timeout_ms = 5000, .wall_unix_us = -7, .code = "1+1"};
  std::fill(std::begin(order.seed), std::end(order.seed), std::uint8_t{0xfe});
  std::string bytes;
  AppendRunOrder(order, bytes);
  Decoder decoder;
  decoder.Feed(bytes);
  Frame frame{};
  ASSERT_EQ(decoder.Next(frame).value(), Decoder::State::kFrame);
  ASSERT_EQ(frame.type, Type::kRun);
  const auto parsed = ParseRunOrder(frame.body);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->timeout_ms, 5000U);
  EXPECT_EQ(parsed->wall_unix_us, -7);
  EXPECT_EQ(parsed->code, "1+1");
  EXPECT_TRUE(std::equal(std::begin(order.seed), std::end(order.seed), std::begin(parsed->seed)));
}

TEST(RunOrder, MayHoldNoCodeAndTheLongestCodeButNoMore) {
  EXPECT_TRUE(ParseRunOrder(std::string(44, 'x')).has_value());
  EXPECT_TRUE(ParseRunOrder(std::string(44 + kMaxCode, 'x')).has_value());
  EXPECT_FALSE(ParseRunOrder(std::string(43, 'x')).has_value());
  EXPECT_FALSE(ParseRunOrder(std::string(45 + kMaxCode, 'x')).has_value());
}

TEST(Ended, ComesBackAsItWasSent) {
  const Ended sent{.end = End::kTrapped, .next = Next::kReuse, .exit_code = -134, .stdout_truncated = true};
  std::string bytes;
  AppendEnded(sent, bytes);
  const auto parsed = ParseEnded(std::string_view(bytes).substr(kHeaderSize));
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->end, End::kTrapped);
  EXPECT_EQ(parsed->next, Next::kReuse);
  EXPECT_EQ(parsed->exit_code, -134);
  EXPECT_TRUE(parsed->stdout_truncated);
  EXPECT_FALSE(parsed->stderr_truncated);
}

TEST(Ended, IsRefusedWithAValueOutsideItsList) {
  const std::string good("\x01\x01\0\0\0\0\0", 7);
  ASSERT_TRUE(ParseEnded(good).has_value());
  for (const auto& [index, value] : {std::pair{0, 0}, {0, 4}, {1, 0}, {1, 3}, {6, 4}}) {
    std::string bad = good;
    bad[static_cast<std::size_t>(index)] = static_cast<char>(value);
    EXPECT_FALSE(ParseEnded(bad).has_value()) << index << " " << value;
  }
  EXPECT_FALSE(ParseEnded(good.substr(1)).has_value());
  EXPECT_FALSE(ParseEnded(good + "x").has_value());
}

TEST(Decoder, CutsFramesWhateverThePieces) {
  const std::string bytes = Encoded(Type::kReady, "") + Encoded(Type::kStdout, "abc") + Encoded(Type::kStderr, "d");
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    Decoder decoder;
    std::string seen;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      decoder.Feed(std::string_view(bytes).substr(at, piece));
      Frame frame{};
      while (decoder.Next(frame).value() == Decoder::State::kFrame) {
        seen += std::to_string(static_cast<int>(frame.type)) + ":" + std::string(frame.body) + " ";
      }
    }
    EXPECT_EQ(seen, "1: 3:abc 4:d ") << piece;
  }
}

TEST(Decoder, RefusesALengthItsTypeDoesNotHoldBeforeTheBodyArrives) {
  for (const std::string& bytes : {Raw(1, 1), Raw(2, 43), Raw(2, 45 + kMaxCode), Raw(3, 0), Raw(3, kMaxOutput + 1),
                                   Raw(4, 0xffffffff), Raw(5, 6), Raw(5, 8)}) {
    Decoder decoder;
    decoder.Feed(bytes);
    Frame frame{};
    EXPECT_NE(base::FaultIn(decoder.Next(frame)), nullptr) << static_cast<int>(bytes[0]);
  }
}

TEST(Decoder, StaysStuckAfterAnUnknownType) {
  for (std::uint8_t type : {std::uint8_t{0}, std::uint8_t{6}, std::uint8_t{255}}) {
    Decoder decoder;
    decoder.Feed(std::string(1, static_cast<char>(type)));
    Frame frame{};
    EXPECT_FALSE(decoder.Next(frame).has_value());
    decoder.Feed(Encoded(Type::kReady, ""));
    EXPECT_FALSE(decoder.Next(frame).has_value());
  }
}

}  // namespace
}  // namespace plimsoll::frames
