#include "rpc/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plimsoll/v1/sandbox.pb.h"
#include "rpc/service_for_test.h"

namespace plimsoll::rpc {
namespace {

using test::Fixture;
using test::Head;
using test::With;
using test::Without;
using ::testing::HasSubstr;

constexpr std::string_view kSnippet = R"json({"protocol":5,"javascript":{"code":"console.log(6*7)"}})json";

http::Response AskRun(Fixture& fixture, std::string_view json) {
  return fixture.Ask(Head("Run", "application/json"), std::string(json));
}

// The request's ID once, and the mark if one is expected.
void ExpectBound(const http::Response& response) {
  EXPECT_EQ(response.headers.Only("plimsoll-request-id"), test::kRequestId);
}

void ExpectPlumbing(const http::Response& response, int status, std::string_view mark) {
  EXPECT_EQ(response.status, status) << response.body;
  EXPECT_EQ(response.headers.Only("plimsoll-not-dispatched"), mark);
  ExpectBound(response);
}

// A refusal by the procedure itself: a detail with this reason and no header mark (W11).
void ExpectRefusal(const http::Response& response, std::string_view code, std::string_view reason) {
  EXPECT_EQ(response.headers.Count("plimsoll-not-dispatched"), 0U);
  EXPECT_THAT(response.body, HasSubstr("\"code\":\"" + std::string(code) + "\""));
  EXPECT_THAT(response.body, HasSubstr("{\"reason\":\"NOT_DISPATCHED_REASON_" + std::string(reason) + "\"}"));
  EXPECT_EQ(response.headers.Only("content-type"), "application/json");
  ExpectBound(response);
}

TEST(Service, RunsASnippetOverConnectJson) {
  Fixture fixture;
  const http::Response response = AskRun(fixture, kSnippet);
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.headers.Only("content-type"), "application/json");
  ExpectBound(response);
  EXPECT_THAT(response.body, HasSubstr("\"sandbox\":\"wasm\",\"isolation\":\"process\",\"durationMs\":\"3\""));
  EXPECT_THAT(response.body, HasSubstr("\"javascript\":{\"stdout\":\"NDIK\"}"));
  EXPECT_THAT(response.body, HasSubstr("\"record\":{\"version\":4,"));
  ASSERT_EQ(fixture.provider.ran.size(), 1U);
  EXPECT_EQ(std::get<run::JavaScript>(fixture.provider.ran[0].payload).code, "console.log(6*7)");
}

TEST(Service, W2_DescribeAnswersTheProtocolAskedForOrFour) {
  Fixture fixture;
  for (const auto& [asked, told] : {std::pair<std::string, std::string>{"{}", "4"},
                                    {R"({"protocol":5})", "5"},
                                    {R"({"protocol":4})", "4"},
                                    {R"({"protocol":99})", "4"}}) {
    const http::Response response = fixture.Ask(Head("Describe", "application/json"), asked);
    ASSERT_EQ(response.status, 200) << response.body;
    EXPECT_THAT(response.body, HasSubstr("\"protocol\":" + told + ",")) << asked;
    EXPECT_THAT(response.body, HasSubstr("\"protocols\":[4,5]"));
  }
}

TEST(Service, DescribeStatesWhatTheProviderOffers) {
  Fixture fixture;
  fixture.provider.tier = std::nullopt;
  const http::Response response = fixture.Ask(Head("Describe", "application/json"), "{}");
  EXPECT_EQ(
      response.body,
      R"({"sandbox":"wasm","isolation":"unknown","protocol":4,"javascriptEnvironment":{"identity":)"
      R"("quickjs-wasm:sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","maxTimeoutMs":30000,)"
      R"("languages":["javascript"]},"resources":{"memoryMb":256},"protocols":[4,5]})");
}

TEST(Service, W4_AFloorAboveTheTierIsRefusedInTheWordsOfTheProtocol) {
  Fixture fixture;
  const http::Response response =
      AskRun(fixture, R"({"protocol":5,"minimumIsolation":"kernel","javascript":{"code":"1"}})");
  EXPECT_EQ(response.status, 400);
  ExpectRefusal(response, "failed_precondition", "ISOLATION");
  EXPECT_EQ(
      response.body,
      R"({"code":"failed_precondition","message":"sandbox isolation requirement not met: provider isolation )"
      R"(process is below requested minimum kernel","details":[{"type":"plimsoll.v1.NotDispatched","value":"CAU",)"
      R"("debug":{"reason":"NOT_DISPATCHED_REASON_ISOLATION"}}]})");
  EXPECT_TRUE(fixture.provider.ran.empty());
}

TEST(Service, W5_AMissingProtocolIsRefusedByEveryProcedureButDescribe) {
  Fixture fixture;
  for (const char* procedure : {"Run", "OpenSession", "SessionRun", "CloseSession"}) {
    for (const char* body : {"{}", R"({"protocol":0})"}) {
      const http::Response response = fixture.Ask(Head(procedure, "application/json"), body);
      EXPECT_EQ(response.status, 400);
      ExpectRefusal(response, "invalid_argument", "PROTOCOL");
    }
  }
}

TEST(Service, W6_AProtocolNotServedIsRefusedBeforeAnythingElse) {
  Fixture fixture;
  for (const char* number : {"1", "3", "6", "4294967295"}) {
    for (const char* procedure : {"Run", "OpenSession", "SessionRun", "CloseSession"}) {
      const std::string body = R"({"protocol":)" + std::string(number) + R"(,"minimumIsolation":"strong"})";
      const http::Response response = fixture.Ask(Head(procedure, "application/json"), body);
      EXPECT_EQ(response.status, 501);
      ExpectRefusal(response, "unimplemented", "PROTOCOL");
    }
  }
}

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

TEST(Service, W18_AFloorThatIsNotANameIsRefused) {
  Fixture fixture;
  for (const char* floor : {"none", "KERNEL", "strong"}) {
    const http::Response response = AskRun(
        fixture, R"({"protocol":5,"minimumIsolation":")" + std::string(floor) + R"(","javascript":{"code":"1"}})");
    ExpectRefusal(response, "invalid_argument", "REQUEST");
  }
}

TEST(Service, W26_ACellOrNoPayloadIsRefused) {
  Fixture fixture;
  ExpectRefusal(AskRun(fixture, R"({"protocol":5,"cell":{"language":"python","code":"1"}})"), "invalid_argument",
                "REQUEST");
  ExpectRefusal(AskRun(fixture, R"({"protocol":5})"), "invalid_argument", "REQUEST");
  ExpectRefusal(AskRun(fixture, R"({"protocol":5,"javascript":null})"), "invalid_argument", "REQUEST");
}

TEST(Service, W30_ASoftwareRuleIsNotMetWithoutAnIdentity) {
  Fixture fixture;
  const http::Response response =
      AskRun(fixture, R"({"protocol":5,"softwareRule":{"mode":"exact","identities":["a"]},"javascript":{"code":"1"}})");
  EXPECT_EQ(response.status, 400);
  ExpectRefusal(response, "failed_precondition", "ENVIRONMENT");
}

TEST(Service, W35_AProjectOnASnippetProviderIsUnsupported) {
  Fixture fixture;
  const http::Response response = AskRun(fixture, R"({"protocol":5,"project":{"steps":["ls"]}})");
  EXPECT_EQ(response.status, 501);
  ExpectRefusal(response, "unimplemented", "UNSUPPORTED");
}

TEST(Service, W36_ADisabledProviderRefusesEveryValidRequestAlike) {
  Fixture fixture;
  fixture.provider.profile = {};
  fixture.provider.profile.provider = "disabled";
  fixture.provider.profile.enabled = false;
  fixture.provider.tier = isolation::Tier::kNone;
  for (const char* body : {R"({"protocol":5,"javascript":{"code":"1"}})",
                           R"({"protocol":5,"minimumIsolation":"vm","javascript":{"code":"1"}})",
                           R"({"protocol":5,"javascript":{"code":"1","grantProfile":"crm"}})"}) {
    const http::Response response = AskRun(fixture, body);
    ExpectRefusal(response, "failed_precondition", "UNSUPPORTED");
    EXPECT_THAT(response.body, HasSubstr("\"message\":\"code execution is disabled\""));
  }
  const http::Response open = fixture.Ask(Head("OpenSession", "application/json"), R"({"protocol":5})");
  ExpectRefusal(open, "failed_precondition", "UNSUPPORTED");
  EXPECT_THAT(open.body, HasSubstr("\"message\":\"code execution is disabled\""));
  const std::string long_code = R"({"protocol":5,"javascript":{"code":")" + std::string(262'145, 'a') + R"("}})";
  ExpectRefusal(AskRun(fixture, long_code), "invalid_argument", "REQUEST");
  EXPECT_EQ(fixture.Ask(Head("Describe", "application/json"), "{}").body,
            R"({"sandbox":"disabled","isolation":"none","protocol":4,"resources":{},"protocols":[4,5]})");
}

TEST(Service, W48_WithoutSessionsNoneCanBeOpenedAndEveryIdIsUnknown) {
  Fixture fixture;
  const http::Response open = fixture.Ask(Head("OpenSession", "application/json"), R"({"protocol":5})");
  EXPECT_EQ(open.status, 501);
  ExpectRefusal(open, "unimplemented", "UNSUPPORTED");
  ExpectRefusal(fixture.Ask(Head("OpenSession", "application/json"), R"({"protocol":5,"minimumIsolation":"none"})"),
                "invalid_argument", "REQUEST");
  for (const char* procedure : {"SessionRun", "CloseSession"}) {
    const http::Response response =
        fixture.Ask(Head(procedure, "application/json"), R"({"protocol":5,"sessionId":"0123"})");
    EXPECT_EQ(response.status, 404);
    ExpectRefusal(response, "not_found", "REQUEST");
    EXPECT_THAT(response.body, HasSubstr(R"({"type":"plimsoll.v1.SessionEnded","value":"CAk","debug":)"
                                         R"({"reason":"SESSION_END_NOT_FOUND"}})"));
  }
}

TEST(Service, W53_AmbiguousJsonIsMalformedAndAnUnknownKeyIsNot) {
  Fixture fixture;
  ExpectPlumbing(AskRun(fixture, R"({"protocol":5,"protocol":5,"javascript":{"code":"1"}})"), 400, "request");
  ExpectPlumbing(AskRun(fixture, R"({"protocol":5,"javascript":{"code":"1"},"project":{"steps":["ls"]}})"), 400,
                 "request");
  const std::string misspelt = R"({"protocol":5,"minimumIsolaton":"kernel","javascript":{"code":"1"}})";
  EXPECT_EQ(AskRun(fixture, misspelt).status, 200);
  const auto strict = With(Head("Run", "application/json"), {{"plimsoll-strict", "1"}});
  const http::Response refused = fixture.Ask(strict, misspelt);
  ExpectPlumbing(refused, 400, "request");
  EXPECT_THAT(refused.body, HasSubstr("unknown key `minimumIsolaton`"));
  EXPECT_EQ(fixture.Ask(With(Head("Run", "application/json"), {{"plimsoll-strict", "yes"}}), misspelt).status, 200);
  EXPECT_EQ(fixture.provider.ran.size(), 2U);
}

TEST(Service, W58_ARateRefusalSaysWhenAndASlotRefusalDoesNot) {
  Fixture rate(test::TokenGate(), {.rate_per_minute = 1, .rate_burst = 1});
  EXPECT_EQ(AskRun(rate, kSnippet).status, 200);
  const http::Response limited = AskRun(rate, kSnippet);
  EXPECT_EQ(limited.status, 429);
  ExpectRefusal(limited, "resource_exhausted", "CAPACITY");
  EXPECT_EQ(limited.headers.Only("retry-after"), "60");

  Fixture slots(test::TokenGate(), {.max_concurrent = 1});
  std::optional<provider::RunDone> first;
  slots.provider.hold = [&](provider::Order, provider::RunDone done) { first = std::move(done); };
  const auto running = slots.Begin(Head("Run", "application/json"), std::string(kSnippet));
  const http::Response busy = AskRun(slots, kSnippet);
  ExpectRefusal(busy, "resource_exhausted", "CAPACITY");
  EXPECT_EQ(busy.headers.Count("retry-after"), 0U);
  (*first)(test::SnippetReport(""));
  EXPECT_EQ(running->sent(), 1);
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

TEST(Service, AFaultAfterDispatchIsUnmarkedAndSaysOnlyItsId) {
  Fixture fixture;
  fixture.provider.answer = [](const provider::Order&) -> base::Result<run::Report> {
    return base::Fault{base::FaultKind::kUnavailable, "worker 17 at /run/secret died"};
  };
  const http::Response response = AskRun(fixture, kSnippet);
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.headers.Count("plimsoll-not-dispatched"), 0U);
  EXPECT_THAT(response.body,
              ::testing::ContainsRegex("^.\"code\":\"internal\",\"message\":\"internal error [0-9a-f]+: "));
  EXPECT_THAT(response.body, ::testing::Not(HasSubstr("details")));
  EXPECT_THAT(response.body, ::testing::Not(HasSubstr("secret")));
}

TEST(Service, ADeadlinePassedBeforeDispatchIsMarkedCapacity) {
  Fixture fixture;
  const http::Response run =
      fixture.Ask(With(Head("Run", "application/json"), {{"connect-timeout-ms", "0"}}), std::string(kSnippet));
  EXPECT_EQ(run.status, 504);
  ExpectRefusal(run, "deadline_exceeded", "CAPACITY");
  EXPECT_TRUE(fixture.provider.ran.empty());
  ExpectRefusal(fixture.Ask(With(Head("Describe", "application/json"), {{"connect-timeout-ms", "0"}}), "{}"),
                "deadline_exceeded", "CAPACITY");
}

TEST(Service, ADeadlinePassedAfterDispatchIsAnsweredAtOnceUnmarkedAndStopsTheRun) {
  Fixture fixture;
  std::optional<provider::RunDone> end;
  std::optional<std::stop_token> stop;
  fixture.provider.hold = [&](provider::Order order, provider::RunDone done) {
    stop = order.stop;
    end = std::move(done);
  };
  const auto exchange =
      fixture.Begin(With(Head("Run", "application/json"), {{"connect-timeout-ms", "20"}}), std::string(kSnippet));
  const http::Response response = exchange->Answer().get();
  EXPECT_EQ(response.status, 504);
  EXPECT_EQ(response.headers.Count("plimsoll-not-dispatched"), 0U);
  EXPECT_EQ(response.body,
            R"({"code":"deadline_exceeded","message":"the caller's deadline passed while the code was running"})");
  std::promise<void> stopped;
  const std::stop_callback seen(*stop, [&] { stopped.set_value(); });
  stopped.get_future().wait();
  (*end)(base::Fault{base::FaultKind::kCanceled, "stopped"});
  EXPECT_EQ(exchange->sent(), 1);
}

TEST(Service, AClientThatLeavesStopsItsRun) {
  Fixture fixture;
  std::optional<provider::RunDone> end;
  std::optional<std::stop_token> stop;
  fixture.provider.hold = [&](provider::Order order, provider::RunDone done) {
    stop = order.stop;
    end = std::move(done);
  };
  const auto exchange = fixture.Begin(Head("Run", "application/json"), std::string(kSnippet));
  EXPECT_FALSE(stop->stop_requested());
  exchange->LeaveClient();
  EXPECT_TRUE(stop->stop_requested());
  (*end)(base::Fault{base::FaultKind::kCanceled, "stopped"});
  EXPECT_THAT(exchange->Answer().get().body, HasSubstr("\"code\":\"canceled\""));
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
