// Any bytes on an HTTP/1.1 connection: never more answers than requests, every answer well formed, and always an end.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/fuzzing.h"
#include "http/http1_protocol.h"

namespace plimsoll::http {
namespace {

// Goes through the answers in `sent` and counts them; interim ones aside.
std::size_t CountAnswers(std::string_view sent, bool& ends) {
  std::size_t answers = 0;
  while (!sent.empty()) {
    PLIMSOLL_CHECK(!ends);  // nothing follows an answer that closes
    const auto head_end = sent.find("\r\n\r\n");
    PLIMSOLL_CHECK(sent.starts_with("HTTP/1.1 ") && head_end != std::string_view::npos);
    const std::string_view head = sent.substr(0, head_end + 2);
    sent.remove_prefix(head_end + 4);
    if (head.starts_with("HTTP/1.1 100 ")) {
      continue;
    }
    ++answers;
    ends = head.find("\r\nconnection: close\r\n") != std::string_view::npos;
    const auto length = head.find("\r\ncontent-length: ");
    PLIMSOLL_CHECK(length != std::string_view::npos);
    const std::size_t size = std::stoul(std::string(head.substr(length + 18, 10)));
    if (size > sent.size()) {  // the answer to HEAD has no body
      break;
    }
    if (!sent.substr(0, size).starts_with("HTTP/1.1 ")) {
      sent.remove_prefix(size);
    }
  }
  return answers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FakeHandler handler(64);
  std::string sent;
  Drive<Http1Protocol>(handler, std::string(data, data + size), [&](const std::string& out) { sent += out; });
  bool ends = false;
  // The server's own refusal of a malformed head adds one, and ends.
  PLIMSOLL_CHECK(CountAnswers(sent, ends) <= handler.heads().size() + 1);
  return 0;
}

}  // namespace plimsoll::http
