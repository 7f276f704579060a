#include "rpc/any_request_for_test.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/hex.h"
#include "rpc/service_for_test.h"
#include "testkit/fake_provider.h"

namespace plimsoll::rpc::test {
namespace {

std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

http::RequestHead TakeHead(std::string_view& text) {
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
  return field && field->find(kTestToken) != std::string_view::npos;
}

bool CarriesTheId(const Served& served) {
  const auto id = served.head.headers.Only("plimsoll-request-id");
  if (!id || !base::IsLowerHex(*id, 32)) {
    return served.response.headers.Count("plimsoll-request-id") == 0;
  }
  return served.response.headers.Only("plimsoll-request-id") == id;
}

bool IsMarked(const http::Response& response) {
  return response.headers.Count("plimsoll-not-dispatched") != 0 ||
         response.trailers.Count("plimsoll-not-dispatched") != 0;
}

// A service with one session of the caller that kTestToken names.
struct SessionFixture : Fixture {
  SessionFixture()
      : Fixture(TokenGate(), {.rate_per_minute = 0}, 16,
                {.caps = {.max = 4, .per_owner = 1}, .lifetime = std::chrono::hours(1), .idle = {}}) {
    provider.profile.session = testkit::SessionProfile().session;
  }
  ~SessionFixture() { PLIMSOLL_CHECK(sessions.Drain(clock.Steady() + std::chrono::seconds(20))); }

  // Its ID.
  std::string Open() {
    const auto caller = TokenGate().Authenticate(std::string("Bearer ").append(kTestToken));
    std::string id;
    sessions.Open({.asked = {}, .principal = caller->principal},
                  [&id](base::Result<sessions::Opened> opened) { id = opened->session_id; });
    return id;
  }
};

std::string WithId(std::string_view input, const std::string& id) {
  std::string text(input);
  for (std::size_t at = text.find(kSessionHere); at != std::string::npos; at = text.find(kSessionHere, at)) {
    text.replace(at, kSessionHere.size(), id);
  }
  return text;
}

}  // namespace

Served ServeAnyRequest(std::string_view input) {
  SessionFixture fixture;
  const std::string text = WithId(input, fixture.Open());
  input = text;
  Served served{.head = TakeHead(input), .response = {}, .answers = 1, .ran = false};
  const auto exchange = fixture.Begin(served.head, std::string(input), &served.response);
  for (auto& asked : fixture.readiness_asked) {
    asked(true);
  }
  served.ran = !fixture.provider.ran.empty() || fixture.provider.sandboxes.front()->Asked().starts_with("run");
  if (exchange != nullptr) {
    // A deadline that passes during a run answers from another thread; here every run ends at once.
    served.answers = exchange->sent();
    if (served.answers == 1) {
      served.response = exchange->Answer().get();
    }
  }
  return served;
}

std::string_view BrokenPromise(const Served& served) {
  if (served.answers != 1) {
    return "a request was not answered once";
  }
  if (!served.response.headers.Sendable() || !served.response.trailers.Sendable()) {
    return "an answer cannot be sent";
  }
  if (served.response.status < 200 || served.response.status > 599) {
    return "an answer has no final status";
  }
  if (!CarriesTheId(served)) {
    return "an answer carries another request ID than its request, or two";
  }
  if (IsMarked(served.response) && served.ran) {
    return "a request that ran was marked as one that did not";
  }
  return served.ran && !HasToken(served.head) ? "code ran without a token" : "";
}

}  // namespace plimsoll::rpc::test
