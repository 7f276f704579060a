#include "rpc/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plimsoll/v1/sandbox.pb.h"
#include "rpc/expect_for_test.h"
#include "rpc/service_for_test.h"

namespace plimsoll::rpc {
namespace {

using test::AskRun;
using test::ExpectBound;
using test::ExpectPlumbing;
using test::ExpectRefusal;
using test::Fixture;
using test::Head;
using test::kSnippet;
using test::With;
using ::testing::HasSubstr;

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

TEST(Service, ARunMayEndWhileItsClientIsLeaving) {
  Fixture fixture;
  std::optional<provider::RunDone> end;
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
  fixture.provider.hold = [&](provider::Order order, provider::RunDone done) {
    end = std::move(done);
    on_stop.emplace(order.stop, [&] {
      (*end)(base::Fault{base::FaultKind::kCanceled, "stopped"});
      end.reset();  // the last owner of the run
    });
  };
  const auto exchange = fixture.Begin(Head("Run", "application/json"), std::string(kSnippet));
  exchange->LeaveClient();
  EXPECT_EQ(exchange->sent(), 1);
}

TEST(Service, W19_CodeOutOfBoundsReachesNoProvider) {
  Fixture fixture;
  const auto snippet = [&](const std::string& code) {
    v1::RunRequest request;
    request.set_protocol(5);
    request.mutable_javascript()->set_code(code);
    return fixture.Ask(Head("Run", "application/proto"), request.SerializeAsString());
  };
  for (const std::string& code : {std::string(), std::string(262'145, 'a'), std::string("a\0b", 3)}) {
    ExpectRefusal(snippet(code), "invalid_argument", "REQUEST");
  }
  const std::string not_utf8 = "\x08\x05\x52\x03\x0a\x01\xff";
  ExpectPlumbing(fixture.Ask(Head("Run", "application/proto"), not_utf8), 400, "request");
  EXPECT_TRUE(fixture.provider.ran.empty());
  EXPECT_EQ(snippet(std::string(262'144, 'a')).status, 200);
}

TEST(Service, R8_TextOfTheProviderIsRepairedAndSentAsItWasHashed) {
  Fixture fixture;
  fixture.provider.answer = [](const provider::Order&) -> base::Result<run::Report> {
    run::Report report = test::SnippetReport("\xff");
    report.environment = "image:\xff\xfe";
    return report;
  };
  const http::Response response = AskRun(fixture, kSnippet);
  EXPECT_THAT(response.body, HasSubstr("\"environment\":\"image:\xef\xbf\xbd\",\"startedUnixMs\""));
  EXPECT_THAT(response.body, HasSubstr("\"environment\":\"image:\xef\xbf\xbd\",\"javascript\":{\"stdout\":\"/w==\"}"));
}

}  // namespace
}  // namespace plimsoll::rpc
