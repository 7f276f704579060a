#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "frames/agent.h"
#include "frames/big_endian.h"

// What the two fuzz targets of the agent's frames share. The first byte of an input says what the rest is: 0 raw bytes
// for the receiver; else the parts of frames, each a type, a channel (0 or 1), a u16 length and a body, which are made
// authentic so that the bodies are reached; 2 changes one byte of the whole, and then no frame from there on may come.
namespace plimsoll::frames::agent {

inline Key FuzzKey() {
  std::array<std::byte, Key::kSize> bytes;
  bytes.fill(std::byte{7});
  return Key(bytes);
}

// The frames `parts` describes, up to the first part that is cut short.
inline std::string AuthenticFrames(Direction direction, std::string_view parts) {
  Sender sender(direction);
  sender.Open(0, FuzzKey());
  sender.Open(1, FuzzKey());
  std::string out;
  while (parts.size() >= 4) {
    const auto type = static_cast<Type>(parts[0]);
    const std::uint32_t channel = static_cast<std::uint8_t>(parts[1]) & 1U;
    const std::size_t length = ReadBigEndian<std::uint16_t>(parts.substr(2));
    const std::string_view body = parts.substr(4, length);
    sender.Append(type, channel, body, out);
    parts.remove_prefix(4 + body.size());
  }
  return out;
}

// What is parsed encodes back to the same bytes.
template <typename Value>
bool Same(const base::Result<Value>& parsed, std::string (*encode)(const Value&), std::string_view body) {
  return !parsed.has_value() || encode(*parsed) == body;
}

// Feeds `bytes` in two pieces and returns the end of the last frame that was taken.
inline std::size_t ReceiveAll(Direction direction, std::string_view bytes, bool (*encodes_back)(const Frame&)) {
  Receiver receiver(direction);
  receiver.Open(0, FuzzKey());
  receiver.Open(1, FuzzKey());
  const std::size_t cut = bytes.empty() ? 0 : static_cast<std::uint8_t>(bytes.back()) % bytes.size();
  std::size_t taken = 0;
  for (const std::string_view piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
    receiver.Feed(piece);
    Frame frame;
    for (auto next = receiver.Next(frame); next.has_value() && *next == Receiver::State::kFrame;
         next = receiver.Next(frame)) {
      taken += 4 + 29 + frame.body.size();
      PLIMSOLL_CHECK(encodes_back(frame));
    }
  }
  return taken;
}

// SAFETY: libFuzzer hands out a valid range that lives until its call returns.
inline int FuzzOneEnd(Direction direction, const std::uint8_t* data, std::size_t size,
                      bool (*encodes_back)(const Frame&)) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) {
    return 0;
  }
  const auto how = static_cast<std::uint8_t>(input[0]);
  input.remove_prefix(1);
  if (how == 0) {
    // Nobody makes an authentic frame by chance.
    PLIMSOLL_CHECK(ReceiveAll(direction, input, encodes_back) == 0);
    return 0;
  }
  std::string bytes = AuthenticFrames(direction, input);
  std::size_t sound = bytes.size();
  if (how == 2 && bytes.size() > 2 && input.size() > 2) {
    sound = ReadBigEndian<std::uint16_t>(input.substr(input.size() - 2)) % bytes.size();
    bytes[sound] = static_cast<char>(bytes[sound] ^ 0x10);
  }
  PLIMSOLL_CHECK(ReceiveAll(direction, bytes, encodes_back) <= sound);
  return 0;
}

}  // namespace plimsoll::frames::agent
