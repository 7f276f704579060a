// Feeds hostile bytes to the decoder in two pieces and checks that what it accepts is encoded back to the same bytes.
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "frames/frame.h"

namespace plimsoll::frames {
namespace {

void CheckBody(const Frame& frame) {
  std::string again;
  if (frame.type == Type::kRun) {
    AppendRunOrder(ParseRunOrder(frame.body).value(), again);
  } else if (frame.type == Type::kEnded) {
    const auto ended = ParseEnded(frame.body);
    if (!ended.has_value()) {
      return;
    }
    AppendEnded(*ended, again);
  } else {
    Append(frame.type, frame.body, again);
  }
  PLIMSOLL_CHECK(std::string_view(again).substr(kHeaderSize) == frame.body);
}

// The first byte says where the rest is cut.
void Decode(std::string_view input) {
  if (input.empty()) {
    return;
  }
  const std::size_t cut = static_cast<std::uint8_t>(input[0]) % input.size();
  input.remove_prefix(1);
  Decoder decoder;
  for (std::string_view piece : {input.substr(0, cut), input.substr(std::min(cut, input.size()))}) {
    decoder.Feed(piece);
    Frame frame{};
    while (true) {
      const auto state = decoder.Next(frame);
      if (!state.has_value() || *state == Decoder::State::kNeedMore) {
        break;
      }
      CheckBody(frame);
    }
  }
}

}  // namespace
}  // namespace plimsoll::frames

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  plimsoll::frames::Decode(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
