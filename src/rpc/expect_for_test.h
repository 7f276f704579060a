#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "http/message.h"
#include "rpc/service_for_test.h"

// What the tests of the service expect of an answer.
namespace plimsoll::rpc::test {

inline constexpr std::string_view kSnippet = R"json({"protocol":5,"javascript":{"code":"console.log(6*7)"}})json";

inline http::Response AskRun(Fixture& fixture, std::string_view json) {
  return fixture.Ask(Head("Run", "application/json"), std::string(json));
}

// The request's ID, once.
inline void ExpectBound(const http::Response& response) {
  EXPECT_EQ(response.headers.Only("plimsoll-request-id"), kRequestId);
}

// An answer written before the procedure: the header mark.
inline void ExpectPlumbing(const http::Response& response, int status, std::string_view mark) {
  EXPECT_EQ(response.status, status) << response.body;
  EXPECT_EQ(response.headers.Only("plimsoll-not-dispatched"), mark);
  ExpectBound(response);
}

// A refusal by the procedure itself: a detail with this reason and no header mark (W11).
inline void ExpectRefusal(const http::Response& response, std::string_view code, std::string_view reason) {
  using ::testing::HasSubstr;
  EXPECT_EQ(response.headers.Count("plimsoll-not-dispatched"), 0U);
  EXPECT_THAT(response.body, HasSubstr("\"code\":\"" + std::string(code) + "\""));
  EXPECT_THAT(response.body, HasSubstr("{\"reason\":\"NOT_DISPATCHED_REASON_" + std::string(reason) + "\"}"));
  EXPECT_EQ(response.headers.Only("content-type"), "application/json");
  ExpectBound(response);
}

}  // namespace plimsoll::rpc::test
