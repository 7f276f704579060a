#include "frames/agent.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <sstream>

#include "frames/big_endian.h"

namespace plimsoll::frames::agent {
namespace {

using base::FaultIn;

Key KeyOf(int first) {
  std::array<std::byte, Key::kSize> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(static_cast<std::size_t>(first) + i);
  }
  return Key(bytes);
}

constexpr std::uint32_t kCall = 7;

// Both ends of one direction, with channels 0 and kCall open.
struct Link {
  explicit Link(Direction direction) : sender(direction), receiver(direction) {
    for (const auto& [channel, first] : {std::pair{kControl, 0}, std::pair{kCall, 100}}) {
      sender.Open(channel, KeyOf(first));
      receiver.Open(channel, KeyOf(first));
    }
  }
  std::string Made(Type type, std::uint32_t channel, std::string_view body) {
    std::string out;
    sender.Append(type, channel, body, out);
    return out;
  }
  // `frame` received: whether it was refused, and the receiver stuck for good.
  bool Refuses(std::string_view bytes) {
    receiver.Feed(bytes);
    Frame frame;
    if (FaultIn(receiver.Next(frame)) == nullptr) {
      return false;
    }
    receiver.Feed(Made(Type::kPing, kControl, ""));
    return FaultIn(receiver.Next(frame)) != nullptr;
  }

  Sender sender;
  Receiver receiver;
};

std::string FromHex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

// The frames were made by agent_vectors.py, which shares nothing with this codec.
TEST(AgentFrame, HasTheBytesOfTheVectors) {
  std::ifstream file(std::string(PLIMSOLL_SOURCE_DIR) + "/src/frames/agent_vectors.txt");
  int seen = 0;
  Sender host(Direction::kFromHost);
  Sender guest(Direction::kFromAgent);
  Receiver from_host(Direction::kFromHost);
  Receiver from_guest(Direction::kFromAgent);
  for (const std::uint32_t channel : {kControl, kCall}) {
    host.Open(channel, KeyOf(0));
    guest.Open(channel, KeyOf(0));
    from_host.Open(channel, KeyOf(0));
    from_guest.Open(channel, KeyOf(0));
  }
  for (std::string line; std::getline(file, line); ++seen) {
    std::istringstream words(line);
    char direction = 0;
    char type = 0;
    std::uint32_t channel = 0;
    std::string body;
    std::string expected;
    words >> direction >> type >> channel >> body >> expected;
    std::string made;
    (direction == 'h' ? host : guest).Append(static_cast<Type>(type), channel, FromHex(body), made);
    EXPECT_EQ(made, FromHex(expected)) << line;
    Receiver& receiver = direction == 'h' ? from_host : from_guest;
    receiver.Feed(FromHex(expected));
    Frame frame;
    ASSERT_EQ(receiver.Next(frame).value(), Receiver::State::kFrame) << line;
    EXPECT_EQ(frame.type, static_cast<Type>(type));
    EXPECT_EQ(frame.channel, channel);
    EXPECT_EQ(frame.body, FromHex(body));
  }
  EXPECT_EQ(seen, 17);
}

TEST(AgentReceiver, CutsFramesWhateverThePieces) {
  for (std::size_t piece = 1; piece < 200; ++piece) {
    Link link(Direction::kFromHost);
    std::string bytes = link.Made(Type::kPing, kControl, "");
    bytes += link.Made(Type::kPiece, kCall, "abc");
    bytes += link.Made(Type::kPiece, kCall, "d");
    bytes += link.Made(Type::kPing, kControl, "e");
    std::string seen;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      link.receiver.Feed(std::string_view(bytes).substr(at, piece));
      Frame frame;
      while (link.receiver.Next(frame).value() == Receiver::State::kFrame) {
        seen += static_cast<char>(frame.type) + std::string(frame.body) + " ";
      }
    }
    EXPECT_EQ(seen, "H Pabc Pd He ") << piece;
  }
}

TEST(AgentReceiver, P75_RefusesAFrameWithAnyByteChanged) {
  const std::string good = Link(Direction::kFromHost).Made(Type::kPiece, kCall, "some bytes");
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int flip : {1, 0x80, 0xff}) {
      Link link(Direction::kFromHost);
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      link.receiver.Feed(bad);
      Frame frame;
      const auto next = link.receiver.Next(frame);
      // A changed length may be a length still: then the tag is read from elsewhere, or more is waited for.
      EXPECT_FALSE(next.has_value() && *next == Receiver::State::kFrame) << at << " " << flip;
      if (at >= 4) {
        EXPECT_NE(FaultIn(next), nullptr) << at << " " << flip;
      }
    }
  }
}

TEST(AgentReceiver, P75_RefusesARepeatedASkippedAndAReorderedFrame) {
  Link link(Direction::kFromHost);
  const std::string first = link.Made(Type::kPiece, kCall, "1");
  const std::string second = link.Made(Type::kPiece, kCall, "2");
  Link repeated(Direction::kFromHost);
  repeated.receiver.Feed(first);
  Frame frame;
  ASSERT_EQ(repeated.receiver.Next(frame).value(), Receiver::State::kFrame);
  EXPECT_TRUE(repeated.Refuses(first));
  Link skipped(Direction::kFromHost);
  EXPECT_TRUE(skipped.Refuses(second));
}

TEST(AgentReceiver, P75_RefusesTheTagOfAnotherChannelOrDirection) {
  Sender other(Direction::kFromHost);
  other.Open(kCall, KeyOf(0));  // the key of channel 0
  std::string bytes;
  other.Append(Type::kPiece, kCall, "x", bytes);
  EXPECT_TRUE(Link(Direction::kFromHost).Refuses(bytes));

  // The same type, channel, counter and body said by the other end.
  Sender mirrored(Direction::kFromAgent);
  mirrored.Open(kCall, KeyOf(100));
  bytes.clear();
  mirrored.Append(Type::kPiece, kCall, "x", bytes);
  EXPECT_TRUE(Link(Direction::kFromHost).Refuses(bytes));
}

// The type is judged from the first five bytes, before a body is waited for.
TEST(AgentReceiver, P75_RefusesEveryTypeThatThisEndNeverGets) {
  for (const Direction direction : {Direction::kFromHost, Direction::kFromAgent}) {
    const std::string_view known = direction == Direction::kFromHost ? "KQHSGFPB" : "Rhsboexad";
    for (int number = 0; number < 256; ++number) {
      std::string start;
      AppendBigEndian(std::uint32_t{29 + 8}, start);
      start.push_back(static_cast<char>(number));
      Link link(direction);
      link.receiver.Feed(start);
      Frame frame;
      const bool refused = FaultIn(link.receiver.Next(frame)) != nullptr;
      if (known.find(static_cast<char>(number)) == std::string_view::npos) {
        EXPECT_TRUE(refused) << number;
      }
    }
  }
}

TEST(AgentReceiver, P75_RefusesAControlTypeOnACallAndACallsTypeOnControl) {
  Link link(Direction::kFromHost);
  EXPECT_TRUE(link.Refuses(link.Made(Type::kPing, kCall, "")));
  Link other(Direction::kFromHost);
  EXPECT_TRUE(other.Refuses(other.Made(Type::kPiece, kControl, "x")));
  Link closed(Direction::kFromHost);
  const std::string late = closed.Made(Type::kPiece, kCall, "x");
  closed.receiver.Close(kCall);
  EXPECT_TRUE(closed.Refuses(late));
}

// Four bytes are enough to refuse a length, so nothing is kept for it.
TEST(AgentReceiver, P75_RefusesALengthOutsideTheBoundsFromItsFourBytesAlone) {
  for (const std::uint32_t length : {0U, 28U, static_cast<std::uint32_t>(kMaxFrame + 1), 0xffffffffU}) {
    std::string bytes;
    AppendBigEndian(length, bytes);
    EXPECT_TRUE(Link(Direction::kFromHost).Refuses(bytes)) << length;
  }
  std::string longest;
  AppendBigEndian(static_cast<std::uint32_t>(kMaxFrame), longest);
  Link link(Direction::kFromHost);
  link.receiver.Feed(longest);
  Frame frame;
  EXPECT_EQ(link.receiver.Next(frame).value(), Receiver::State::kNeedMore);
}

TEST(AgentReceiver, P75_RefusesABodyLongerThanItsTypeHoldsBeforeItArrives) {
  struct Case {
    Direction from;
    Type type;
    std::size_t most;
  };
  using enum Direction;
  for (const auto& [from, type, most] :
       {Case{kFromHost, Type::kPing, kMaxPing}, Case{kFromHost, Type::kPiece, kMaxPiece},
        Case{kFromHost, Type::kKey, 37}, Case{kFromHost, Type::kBegin, 8}, Case{kFromAgent, Type::kReady, kMaxIdentity},
        Case{kFromAgent, Type::kStdout, 4 + kMaxPiece}, Case{kFromAgent, Type::kExited, 18},
        Case{kFromAgent, Type::kArtifact, 5 + kMaxPiece}, Case{kFromAgent, Type::kDone, 2 + kMaxDetail}}) {
    std::string start;
    AppendBigEndian(static_cast<std::uint32_t>(29 + most + 1), start);
    start.push_back(static_cast<char>(type));
    EXPECT_TRUE(Link(from).Refuses(start)) << static_cast<char>(type);
  }
}

TEST(AgentReceiver, TakesTheLongestPlanFrame) {
  Link link(Direction::kFromHost);
  const std::string body(kMaxFrame - 29, 'x');
  link.receiver.Feed(link.Made(Type::kPlan, kCall, body));
  Frame frame;
  ASSERT_EQ(link.receiver.Next(frame).value(), Receiver::State::kFrame);
  EXPECT_EQ(frame.body, body);
}

TEST(AgentKey, FRM5_IsWipedWhenItEnds) {
  alignas(Key) unsigned char place[sizeof(Key)];
  const Key* key = new (place) Key(KeyOf(1));
  key->~Key();
  for (const unsigned char byte : place) {
    EXPECT_EQ(byte, 0);
  }
}

RC_GTEST_PROP(AgentFrame, ComesBackAsItWasSent, (const std::vector<std::string>& bodies)) {
  Link link(Direction::kFromAgent);
  std::string bytes;
  for (const std::string& body : bodies) {
    link.sender.Append(Type::kStdout, kCall, "step" + body + "x", bytes);
  }
  link.receiver.Feed(bytes);
  Frame frame;
  for (const std::string& body : bodies) {
    RC_ASSERT(link.receiver.Next(frame).value() == Receiver::State::kFrame);
    RC_ASSERT(frame.body == "step" + body + "x");
  }
  RC_ASSERT(link.receiver.Next(frame).value() == Receiver::State::kNeedMore);
}

}  // namespace
}  // namespace plimsoll::frames::agent
