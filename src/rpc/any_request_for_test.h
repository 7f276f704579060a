#pragma once

#include <string_view>

#include "http/message.h"

// Any bytes as a request to the whole service, and what W52 promises of the answer. For the fuzz target and a test.
namespace plimsoll::rpc::test {

struct Served {
  http::RequestHead head;
  http::Response response;
  int answers = 0;   // how often the request was answered
  bool ran = false;  // the provider was asked
};

// Serves one request: a line `METHOD target`, header lines `name: value`, an empty line, the body. A field `http1`
// makes it an HTTP/1.1 request. The service is new and knows one caller, by kTestToken, who has one session: its ID is
// put where the input holds kSessionHere.
inline constexpr std::string_view kSessionHere = "$SESSION";
Served ServeAnyRequest(std::string_view input);

// The promise that was broken, in words; empty when all were kept: one answer, which can be sent and carries the
// request's ID; no mark on a request that ran; nothing ran without the token.
std::string_view BrokenPromise(const Served& served);

}  // namespace plimsoll::rpc::test
