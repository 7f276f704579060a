#pragma once

// Linked by this room's fuzz targets only.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/testing.h"

namespace plimsoll::http {

// Feeds `bytes` to a protocol in pieces, gives late answers, lets the peer stop sending and time run out. The first
// byte chooses the size of the pieces and whether the peer ends; `on_output` gets every byte sent.
template <typename P, typename OnOutput>
void Drive(FakeHandler& handler, std::string_view bytes, OnOutput on_output) {
  const unsigned choice = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front());
  const std::size_t piece = 1U << (choice % 12);
  Driven<P> driven(handler, {.max_header_bytes = 2048, .max_streams = 20});
  bytes.remove_prefix(bytes.empty() ? 0 : 1);
  while (!bytes.empty()) {
    // An appetite that is gone comes back when the answers are given, or never.
    if (driven.protocol().appetite() == Protocol::Appetite::kHungry) {
      const std::string_view next = bytes.substr(0, piece);
      on_output(driven.Receive(next));
      bytes.remove_prefix(next.size());
    } else if (driven.closed()) {
      break;
    }
    if (choice % 2 == 0 || driven.protocol().appetite() == Protocol::Appetite::kFull) {
      auto held = handler.TakeHeld();
      for (const auto& exchange : held) {
        exchange->Send(Text(200, "held"));
      }
      on_output(driven.Pump());
      if (held.empty() && driven.protocol().appetite() == Protocol::Appetite::kFull) {
        break;
      }
    }
  }
  if ((choice & 0x10) != 0) {
    on_output(driven.ReceiveEnd());
  }
  for (const auto& exchange : handler.TakeHeld()) {
    exchange->Send(Text(200, "held"));
  }
  on_output(driven.Pump());
  // Whatever was sent, the connection is over once every time limit has passed.
  for (int i = 0; i < 6; ++i) {
    on_output(driven.Pass(std::chrono::minutes(10)));
  }
  PLIMSOLL_CHECK(driven.closed());
}

}  // namespace plimsoll::http
