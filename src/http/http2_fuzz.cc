// Any bytes after the preface of an HTTP/2 connection: at most one answer a stream, and always an end.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/fuzzing.h"
#include "http/http2_protocol.h"

namespace plimsoll::http {
namespace {

constexpr std::string_view kPrefaceAndSettings("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", 33);
constexpr std::size_t kFrameHead = 9;

// The server sends whole frames, and HEADERS at most once for each stream.
void CheckFrames(std::string_view sent) {
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(sent[at])); };
  std::map<std::size_t, int> answers;
  while (!sent.empty()) {
    PLIMSOLL_CHECK(sent.size() >= kFrameHead);
    const std::size_t size = byte(0) << 16 | byte(1) << 8 | byte(2);
    const std::size_t stream = byte(5) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8);
    if (byte(3) == 1) {
      PLIMSOLL_CHECK(++answers[stream] == 1);
    }
    PLIMSOLL_CHECK(sent.size() >= kFrameHead + size);
    sent.remove_prefix(kFrameHead + size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  FakeHandler handler(64);
  std::string bytes(1, static_cast<char>(data[0]));
  bytes.append(kPrefaceAndSettings).append(data + 1, data + size);
  std::string sent;
  Drive<Http2Protocol>(handler, bytes, [&](const std::string& out) { sent += out; });
  CheckFrames(sent);
  return 0;
}

}  // namespace plimsoll::http
