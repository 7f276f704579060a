// W52: any head and body through the whole service: exactly one answer, bound and marked by the rules, and without a
// valid token nothing is dispatched. Input: header lines `name: value` after a line `METHOD target`, an empty line, the
// body. The token of the tests, when the input has it, is a valid one.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/hex.h"
#include "rpc/service_for_test.h"

namespace plimsoll::rpc {
namespace {

std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

http::RequestHead ParseHead(std::string_view& text) {
  http::RequestHead head;
  const std::string_view first = TakeLine(text);
  head.method = first.substr(0, first.find(' '));
  head.target = first.substr(std::min(first.size(), head.method.size() + 1));
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    if (line.empty()) {
      break;
    }
    const std::size_t colon = line.find(": ");
    if (colon != std::string_view::npos) {
      head.headers.Add(line.substr(0, colon), line.substr(colon + 2));
    }
  }
  head.version = head.headers.Count("http1") == 0 ? http::Version::kHttp2 : http::Version::kHttp1;
  return head;
}

bool HasToken(const http::RequestHead& head) {
  const auto field = head.headers.Only("authorization");
  return field && field->find(test::kTestToken) != std::string_view::npos;
}

void CheckAnswer(const http::RequestHead& head, const http::Response& response, bool ran) {
  PLIMSOLL_CHECK(response.headers.Sendable() && response.trailers.Sendable());
  PLIMSOLL_CHECK(response.status >= 200 && response.status <= 599);
  const auto id = head.headers.Only("plimsoll-request-id");
  const bool echoed = id && base::IsLowerHex(*id, 32);
  PLIMSOLL_CHECK(response.headers.Count("plimsoll-request-id") == (echoed ? 1U : 0U));
  PLIMSOLL_CHECK(!echoed || response.headers.Only("plimsoll-request-id") == id);
  const bool marked =
      response.headers.Count("plimsoll-not-dispatched") != 0 || response.trailers.Count("plimsoll-not-dispatched") != 0;
  PLIMSOLL_CHECK(!marked || !ran);
}

void CheckOne(std::string_view input) {
  test::Fixture fixture(test::TokenGate(), {.rate_per_minute = 0});
  const http::RequestHead head = ParseHead(input);
  http::Response response;
  const auto exchange = fixture.Begin(head, std::string(input), &response);
  for (auto& asked : fixture.readiness_asked) {
    asked(true);
  }
  const bool ran = !fixture.provider.ran.empty();
  if (exchange != nullptr) {
    // A deadline that passes during a run answers from another thread; here every run ends at once.
    PLIMSOLL_CHECK(exchange->sent() == 1);
    response = exchange->Answer().get();
  }
  CheckAnswer(head, response, ran);
  PLIMSOLL_CHECK(HasToken(head) || !ran);
}

}  // namespace
}  // namespace plimsoll::rpc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  plimsoll::rpc::CheckOne(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
