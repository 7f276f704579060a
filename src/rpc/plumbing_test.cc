// What is answered before a procedure is reached: the order of checks, marks and probes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rpc/expect_for_test.h"
#include "rpc/service.h"
#include "rpc/service_for_test.h"

namespace plimsoll::rpc {
namespace {

using test::AskRun;
using test::ExpectBound;
using test::ExpectPlumbing;
using test::Fixture;
using test::Head;
using test::kSnippet;
using test::With;
using test::Without;
using ::testing::HasSubstr;

TEST(Service, W7_EveryAnswerCarriesTheRequestIdOnce) {
  Fixture fixture;
  const auto id_of = [&](http::RequestHead head, std::string body) {
    const http::Response response = fixture.Ask(std::move(head), std::move(body));
    ExpectBound(response);
    return response.status;
  };
  EXPECT_EQ(id_of(Head("Run", "application/json"), std::string(kSnippet)), 200);
  EXPECT_EQ(id_of(Head("Run", "application/json"), "{"), 400);
  EXPECT_EQ(id_of(Without(Head("Run", "application/json"), "authorization"), "{}"), 401);
  EXPECT_EQ(id_of(Head("Walk", "application/json"), "{}"), 403);
  EXPECT_EQ(id_of(Head("Run", "text/plain"), "{}"), 415);
  EXPECT_EQ(id_of(Head("Run", "application/json"), std::string(kMaxMessageBytes + 1, ' ')), 429);
  auto elsewhere = Head("Run", "application/json");
  elsewhere.target = "/elsewhere";
  EXPECT_EQ(id_of(elsewhere, ""), 404);
  auto health = Head("Run", "application/json");
  health.target = "/healthz";
  EXPECT_EQ(id_of(health, ""), 405);
  health.method = "GET";
  EXPECT_EQ(id_of(health, ""), 200);
}

TEST(Service, W8_AMalformedRequestIdIsNeitherEchoedNorRefused) {
  Fixture fixture;
  const auto bare = Without(Head("Describe", "application/json"), "plimsoll-request-id");
  for (const char* id : {"00112233445566778899AABBCCDDEEFF", "00112233445566778899aabbccddeef",
                         "00112233445566778899aabbccddeefg", "00112233445566778899aabbccddeeff, x", ""}) {
    const http::Response response = fixture.Ask(With(bare, {{"plimsoll-request-id", id}}), "{}");
    EXPECT_EQ(response.status, 200) << id;
    EXPECT_EQ(response.headers.Count("plimsoll-request-id"), 0U) << id;
  }
  const http::Response doubled =
      fixture.Ask(With(Head("Describe", "application/json"), {{"plimsoll-request-id", test::kRequestId}}), "{}");
  EXPECT_EQ(doubled.status, 200);
  EXPECT_EQ(doubled.headers.Count("plimsoll-request-id"), 0U);
}

TEST(Service, W9_PlumbingRefusalsCarryTheHeaderMark) {
  Fixture fixture;
  ExpectPlumbing(AskRun(fixture, "{\"protocol\":"), 400, "request");
  ExpectPlumbing(AskRun(fixture, ""), 400, "request");
  ExpectPlumbing(AskRun(fixture, std::string(kMaxMessageBytes + 1, ' ')), 429, "request");
  const http::Response type = fixture.Ask(Head("Run", "text/plain"), "{}");
  ExpectPlumbing(type, 415, "request");
  EXPECT_THAT(std::string(type.headers.Only("accept-post").value_or("")), HasSubstr("application/proto"));
  auto get = Head("Run", "application/json");
  get.method = "GET";
  const http::Response method = fixture.Ask(get, "");
  ExpectPlumbing(method, 405, "request");
  EXPECT_EQ(method.headers.Only("allow"), "POST");
  ExpectPlumbing(fixture.Ask(With(Head("Run", "application/json"), {{"content-encoding", "br"}}), "{}"), 501,
                 "request");
  ExpectPlumbing(fixture.Ask(With(Head("Run", "application/json"), {{"content-encoding", "gzip"}}), "{}"), 400,
                 "request");
  EXPECT_TRUE(fixture.provider.ran.empty());
}

TEST(Service, W10_UnknownPathsAndProcedures) {
  Fixture fixture;
  auto elsewhere = Without(Head("Run", "application/json"), "authorization");
  for (const char* target : {"/", "/plimsoll.v1.SandboxService", "/v1/e2b/guard", "*", "http://host/healthz", ""}) {
    elsewhere.target = target;
    ExpectPlumbing(fixture.Ask(elsewhere, ""), 404, "unsupported");
  }
  auto extension = Head("Run", "application/json");
  extension.target = "/plimsoll.x1.Runs/Run";
  for (const auto& head : {Head("Walk", "application/json"), Head("RunJavaScript", "application/json"), extension}) {
    const http::Response response = fixture.Ask(head, "{}");
    ExpectPlumbing(response, 403, "request");
    EXPECT_THAT(response.body, HasSubstr("NOT_DISPATCHED_REASON_PERMISSION"));
  }
  Fixture open(callers::Gate::Open());
  ExpectPlumbing(open.Ask(Head("Walk", "application/json"), "{}"), 404, "unsupported");
  ExpectPlumbing(open.Ask(extension, "{}"), 404, "unsupported");
}

TEST(Service, RefusedCredentialsAreLoggedAsACountAtMostEvery30Seconds) {
  Fixture fixture;
  for (int i = 0; i < 5; ++i) {
    fixture.Ask(Without(Head("Run", "application/json"), "authorization"), "");
  }
  ASSERT_EQ(fixture.log.Records().size(), 1U);
  EXPECT_EQ(fixture.log.Records()[0].text, "credentials refused count=1");
}

TEST(Service, W12_CredentialsAreCheckedBeforeTheBodyAndTheProcedureName) {
  Fixture fixture;
  auto head = Without(Head("Walk", "text/plain"), "authorization");
  head.method = "PATCH";
  head.declared_length = 100;
  http::Response missing;
  ASSERT_EQ(fixture.Begin(head, "{}", &missing), nullptr);
  ExpectPlumbing(missing, 401, "request");
  EXPECT_THAT(missing.body, HasSubstr("NOT_DISPATCHED_REASON_PERMISSION"));
  http::Response wrong;
  ASSERT_EQ(fixture.Begin(With(head, {{"authorization", "Bearer 0123456789abcdef0123456789abcdeX"}}), "{}", &wrong),
            nullptr);
  ExpectPlumbing(wrong, 401, "request");
  ASSERT_EQ(fixture.log.Records().size(), 1U);
  EXPECT_EQ(fixture.log.Records()[0].text, "credentials refused count=1");
}

TEST(Service, W12_ATokenWithoutTheScopeIsRefusedOnTheHead) {
  Fixture fixture(test::RegistryGate(R"(["metrics:read"])"));
  http::Response refused;
  ASSERT_EQ(fixture.Begin(Head("Run", "application/json"), "{}", &refused), nullptr);
  ExpectPlumbing(refused, 403, "request");
  EXPECT_THAT(refused.body, HasSubstr("NOT_DISPATCHED_REASON_PERMISSION"));
  EXPECT_TRUE(fixture.log.Records().empty());
  for (const char* scopes : {R"(["code:run"])", R"(["*"])"}) {
    Fixture allowed(test::RegistryGate(scopes));
    EXPECT_EQ(AskRun(allowed, kSnippet).status, 200);
  }
}

TEST(Service, W13_ADeclaredLengthAboveTheLimitIsRefusedOnTheHead) {
  Fixture fixture;
  auto head = Head("Run", "application/json");
  head.declared_length = kMaxMessageBytes + 1;
  http::Response refused;
  ASSERT_EQ(fixture.Begin(head, "", &refused), nullptr);
  ExpectPlumbing(refused, 429, "request");
  EXPECT_THAT(refused.body, HasSubstr("body: 8388609 bytes declared, limit 8388608"));
  EXPECT_THAT(refused.body, HasSubstr("NOT_DISPATCHED_REASON_REQUEST"));
  head.declared_length = kMaxMessageBytes;
  EXPECT_NE(fixture.Begin(head, "{}", &refused), nullptr);
}

TEST(Service, W16_BadConnectHeadersAreRefused) {
  Fixture fixture;
  const auto head = Head("Run", "application/json");
  for (const auto& [name, value] : {std::pair<std::string_view, std::string_view>{"connect-protocol-version", "2"},
                                    {"connect-timeout-ms", "abc"},
                                    {"connect-timeout-ms", ""},
                                    {"connect-timeout-ms", "-1"},
                                    {"connect-timeout-ms", "12345678901"}}) {
    const http::Response response = fixture.Ask(With(head, {{name, value}}), std::string(kSnippet));
    ExpectPlumbing(response, 400, "request");
    EXPECT_THAT(response.body, HasSubstr("\"invalid_argument\""));
  }
  EXPECT_EQ(fixture.Ask(With(head, {{"connect-protocol-version", "1"}}), std::string(kSnippet)).status, 200);
}

TEST(Service, ADecodeSlotIsHeldUntilTheMessageIsDecodedAndNotWhileCodeRuns) {
  Fixture fixture(test::TokenGate(), {}, 2);  // one for one caller
  const auto head = Head("Run", "application/json");
  auto reading = fixture.service.OnHead(head);
  ASSERT_TRUE(std::holds_alternative<http::ReadBody>(reading));
  http::Response refused;
  ASSERT_EQ(fixture.Begin(head, std::string(kSnippet), &refused), nullptr);
  ExpectPlumbing(refused, 429, "request");
  EXPECT_THAT(refused.body, HasSubstr("NOT_DISPATCHED_REASON_CAPACITY"));
  EXPECT_EQ(refused.headers.Count("retry-after"), 0U);
  reading = http::Response{};  // the first request is gone, its slot with it

  std::optional<provider::RunDone> end;
  fixture.provider.hold = [&](provider::Order, provider::RunDone done) { end = std::move(done); };
  const auto running = fixture.Begin(head, std::string(kSnippet), &refused);
  ASSERT_NE(running, nullptr);
  EXPECT_EQ(fixture.Ask(Head("Describe", "application/json"), "{}").status, 200);
  (*end)(test::SnippetReport(""));
}

TEST(Service, ProbesNeedNoTokenAndSayFixedWords) {
  Fixture fixture;
  http::RequestHead head;
  head.method = "GET";
  head.target = "/healthz";
  const http::Response health = fixture.Ask(head, "");
  EXPECT_EQ(health.status, 200);
  EXPECT_EQ(health.body, "ok\n");
  head.method = "HEAD";
  EXPECT_EQ(fixture.Ask(head, "").body, "");
  head.method = "POST";
  const http::Response posted = fixture.Ask(head, "");
  EXPECT_EQ(posted.status, 405);
  EXPECT_EQ(posted.headers.Only("allow"), "GET, HEAD");

  head.method = "GET";
  head.target = "/readyz";
  for (const auto& [ready, status, body] : {std::tuple{true, 200, "ready\n"}, {false, 503, "not ready\n"}}) {
    const auto exchange = fixture.Begin(head, "");
    ASSERT_EQ(fixture.readiness_asked.size(), 1U);
    fixture.readiness_asked.back()(ready);
    fixture.readiness_asked.clear();
    const http::Response response = exchange->Answer().get();
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.body, body);
  }
}

TEST(Service, W7_AnAnswerOfTheServerItselfIsBoundAndMarkedToo) {
  Fixture fixture;
  http::Response slow{.status = 408, .headers = {}, .body = {}, .trailers = {}};
  const auto head = Head("Run", "application/json");
  fixture.service.OnPlumbing(&head, slow);
  ExpectPlumbing(slow, 408, "request");
  http::Response unread{.status = 431, .headers = {}, .body = {}, .trailers = {}};
  fixture.service.OnPlumbing(nullptr, unread);
  EXPECT_EQ(unread.headers.Only("plimsoll-not-dispatched"), "request");
  EXPECT_EQ(unread.headers.Count("plimsoll-request-id"), 0U);
}

TEST(Service, OptionsAndOtherMethodsGoThroughTheSameChain) {
  Fixture fixture;
  auto head = Without(Head("Run", "application/json"), "authorization");
  head.method = "OPTIONS";
  EXPECT_EQ(fixture.Ask(head, "").status, 401);
  head.target = "*";
  EXPECT_EQ(fixture.Ask(head, "").status, 404);
}

}  // namespace
}  // namespace plimsoll::rpc
