// Any bytes on an attached stream, torn anywhere: the same pieces however they are torn, no byte twice, and a fault is
// for ever.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "providers/docker/engine/engine.h"

namespace {

using plimsoll::docker::Demux;

struct Taken {
  std::string bytes[2];
  bool stuck = false;
};

Taken Feed(std::string_view stream, std::size_t piece) {
  Demux demux;
  Taken taken;
  std::size_t total = 0;
  while (!stream.empty()) {
    const std::string_view part = stream.substr(0, piece);
    const auto status = demux.Feed(part, [&](const Demux::Piece& given) {
      PLIMSOLL_CHECK(!taken.stuck && !given.bytes.empty());
      total += given.bytes.size();
      taken.bytes[given.stream == Demux::Piece::Stream::kStdout ? 0 : 1] += given.bytes;
    });
    PLIMSOLL_CHECK(!taken.stuck || !status);
    taken.stuck = !status;
    stream.remove_prefix(part.size());
  }
  return taken;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view stream(reinterpret_cast<const char*>(data + 1), size - 1);  // NOLINT: the fuzzer's type
  const Taken whole = Feed(stream, std::max<std::size_t>(stream.size(), 1));
  const Taken torn = Feed(stream, std::size_t{data[0]} + 1);
  PLIMSOLL_CHECK(whole.stuck == torn.stuck);
  PLIMSOLL_CHECK(whole.bytes[0] == torn.bytes[0] && whole.bytes[1] == torn.bytes[1]);
  PLIMSOLL_CHECK(whole.bytes[0].size() + whole.bytes[1].size() <= stream.size());
  return 0;
}
