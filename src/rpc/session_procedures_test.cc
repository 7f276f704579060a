// Sessions over the wire: which answer each procedure has, around a sandbox that a test scripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rpc/expect_for_test.h"
#include "testkit/fake_provider.h"

namespace plimsoll::rpc::test {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

sessions::Options Kept(std::chrono::milliseconds idle = 5min) {
  return {.caps = {.max = 8, .per_caller = 7, .per_owner = 1}, .lifetime = 30min, .idle = idle};
}

struct SessionFixture : Fixture {
  explicit SessionFixture(const sessions::Options& kept = Kept(), admission::Quotas quotas = {})
      : Fixture(TokenGate(), quotas, 16, kept) {
    provider.profile = testkit::SessionProfile();
    provider.tier = isolation::Tier::kContainer;
  }
  ~SessionFixture() { PLIMSOLL_CHECK(sessions.Drain(clock.Steady() + 20s)); }

  http::Response Do(std::string_view procedure, Json body) {
    body["protocol"] = 5;
    return Ask(Head(procedure, "application/json"), body.dump());
  }
  Json Open(const Json& body = Json::object()) {
    const http::Response response = Do("OpenSession", body);
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body);
  }
  http::Response Run(const Json& opened, Json body = Json::object()) {
    body["sessionId"] = opened["sessionId"];
    if (!body.contains("javascript")) {
      body["javascript"] = {{"code", "1"}};
    }
    return Do("SessionRun", std::move(body));
  }
};

// The details of an error by their type, as JSON.
std::map<std::string, Json> DetailsIn(const http::Response& response) {
  std::map<std::string, Json> details;
  const Json body = Json::parse(response.body);
  for (const Json& detail : body.value("details", Json::array())) {
    details[detail["type"]] = detail["debug"];
  }
  return details;
}

TEST(Sessions, OpenCallAndCloseAnswerAsTheProtocolSays) {
  SessionFixture fixture;
  const Json opened = fixture.Open();
  EXPECT_EQ(opened["sandbox"], "fake");
  EXPECT_EQ(opened["isolation"], "container");
  EXPECT_EQ(opened["softwareIdentity"], "oci-manifest:fake");
  EXPECT_EQ(opened["idleTimeoutMs"], 300'000);
  EXPECT_EQ(opened["expiresUnixMs"], "1700001800000");

  const http::Response run = fixture.Run(opened, {{"javascript", {{"code", "print"}}}});
  EXPECT_EQ(run.status, 200) << run.body;
  const Json answer = Json::parse(run.body);
  EXPECT_EQ(answer["run"]["javascript"]["stdout"], "cHJpbnQ=");
  EXPECT_EQ(answer["run"]["record"]["session"], opened["session"]);
  EXPECT_EQ(answer["run"]["record"]["sequence"], "1");
  EXPECT_FALSE(answer.contains("ended"));

  const http::Response closed = fixture.Do("CloseSession", {{"sessionId", opened["sessionId"]}});
  EXPECT_EQ(closed.status, 200);
  EXPECT_EQ(Json::parse(closed.body), (Json{{"session", opened["session"]},
                                            {"calls", "1"},
                                            {"lastRecordSha256", answer["run"]["record"]["recordSha256"]},
                                            {"ended", "SESSION_END_CLOSED"}}));
}

TEST(Sessions, W60_WithAnIdleTimeOfZeroNoneIsInForceWhateverIsAsked) {
  SessionFixture fixture(Kept(0ms));
  const Json opened = fixture.Open({{"idleTimeoutMs", 5000}});
  EXPECT_FALSE(opened.contains("idleTimeoutMs"));  // 0 in JSON
  SessionFixture with(Kept(5min));
  EXPECT_EQ(with.Open({{"idleTimeoutMs", 5000}})["idleTimeoutMs"], 5000);
}

TEST(Sessions, DescribeSaysHowSessionsAreKept) {
  SessionFixture fixture;
  const Json described = Json::parse(fixture.Ask(Head("Describe", "application/json"), R"({"protocol":5})").body);
  EXPECT_EQ(described["supportsSessions"], true);
  EXPECT_EQ(described["sessionLifetimeMs"], 1'800'000);
  EXPECT_EQ(described["sessionIdleTimeoutMs"], 300'000);
  EXPECT_EQ(described["sessionEnvironment"]["languages"], Json::array({"javascript"}));
  EXPECT_EQ(described["maxSessionsPerCaller"], 7);
  EXPECT_EQ(described["maxSessionsPerOwner"], 1);
  SessionFixture off(sessions::Options{});
  const std::string without = off.Ask(Head("Describe", "application/json"), R"({"protocol":5})").body;
  EXPECT_THAT(without, Not(HasSubstr("ession")));
}

TEST(Sessions, S5_W44_AnUnknownIdAndAnothersHaveTheSameAnswer) {
  SessionFixture fixture;
  const Json opened = fixture.Open();
  fixture.provider.profile.provider = "fake";
  const http::Response random =
      fixture.Do("SessionRun", {{"sessionId", std::string(32, '0')}, {"javascript", {{"code", "1"}}}});
  EXPECT_EQ(random.status, 404);
  ExpectRefusal(random, "not_found", "REQUEST");
  EXPECT_EQ(DetailsIn(random)["plimsoll.v1.SessionEnded"], (Json{{"reason", "SESSION_END_NOT_FOUND"}}));
  // Asked before anything of the payload: a request that names no session learns nothing more.
  EXPECT_EQ(fixture.Do("SessionRun", {{"sessionId", std::string(32, '0')}}).body, random.body);
  EXPECT_EQ(fixture.Do("CloseSession", {{"sessionId", std::string(32, '0')}}).body, random.body);
}

TEST(Sessions, S23_ACallNeedsAPayloadThatASessionCanRun) {
  SessionFixture fixture;
  const Json opened = fixture.Open();
  ExpectRefusal(fixture.Do("SessionRun", {{"sessionId", opened["sessionId"]}}), "invalid_argument", "REQUEST");
  ExpectRefusal(fixture.Do("SessionRun", {{"sessionId", opened["sessionId"]},
                                          {"module", {{"model", "m"}, {"endTime", 1}, {"step", 1}}}}),
                "invalid_argument", "REQUEST");
  EXPECT_EQ(fixture.provider.sandboxes.at(0)->Asked(), "");
}

TEST(Sessions, S24_ACellRunsInASessionOnly) {
  SessionFixture fixture;
  ExpectRefusal(fixture.Do("Run", {{"cell", {{"language", "javascript"}, {"code", "1"}}}}), "invalid_argument",
                "REQUEST");
  const Json opened = fixture.Open();
  EXPECT_EQ(
      fixture
          .Do("SessionRun", {{"sessionId", opened["sessionId"]}, {"cell", {{"language", "javascript"}, {"code", "1"}}}})
          .status,
      200);
  ExpectRefusal(
      fixture.Do("SessionRun", {{"sessionId", opened["sessionId"]}, {"cell", {{"language", "python"}, {"code", "1"}}}}),
      "unimplemented", "ENVIRONMENT");
}

TEST(Sessions, S66_AGrantIsRefusedAndTheNextCallWorks) {
  SessionFixture fixture;
  const Json opened = fixture.Open();
  ExpectRefusal(fixture.Run(opened, {{"javascript", {{"code", "1"}, {"grantProfile", "crm"}}}}), "permission_denied",
                "PERMISSION");
  EXPECT_EQ(fixture.Run(opened).status, 200);
}

TEST(Sessions, W46_ACallThatMayHaveRunHasItsRecordAndNoMark) {
  SessionFixture fixture;
  const Json opened = fixture.Open();
  fixture.provider.sandboxes.at(0)->AnswerNext({base::Fault{base::FaultKind::kInternal, "a stream broke"}});
  const http::Response response = fixture.Run(opened);
  EXPECT_EQ(response.status, 500);
  auto details = DetailsIn(response);
  EXPECT_EQ(details.count("plimsoll.v1.NotDispatched"), 0U);
  EXPECT_EQ(details["plimsoll.v1.UnansweredCall"]["record"]["unanswered"], "internal");
  EXPECT_EQ(details["plimsoll.v1.UnansweredCall"]["record"]["sequence"], "1");
  EXPECT_EQ(response.headers.Count("plimsoll-not-dispatched"), 0U);
  EXPECT_EQ(Json::parse(fixture.Run(opened).body)["run"]["record"]["sequence"], "2");
}

TEST(Sessions, AnEndUnderACallIsToldWithItsRecordAndAfterwardsMarked) {
  SessionFixture fixture;
  const Json opened = fixture.Open();
  fixture.provider.sandboxes.at(0)->AnswerNext(
      {base::Fault{base::FaultKind::kUnavailable, "gone"},
       run::SessionEnded{run::SessionEnd::kMainProcessEnded, "its first process ended"}});
  const http::Response response = fixture.Run(opened);
  EXPECT_THAT(response.body, HasSubstr("\"code\":\"failed_precondition\""));
  auto details = DetailsIn(response);
  EXPECT_EQ(details.count("plimsoll.v1.NotDispatched"), 0U);
  EXPECT_EQ(details["plimsoll.v1.SessionEnded"],
            (Json{{"reason", "SESSION_END_MAIN_PROCESS_ENDED"}, {"detail", "its first process ended"}}));
  EXPECT_EQ(details["plimsoll.v1.UnansweredCall"]["record"]["unanswered"], "failed_precondition");
  const http::Response after = fixture.Run(opened);
  ExpectRefusal(after, "failed_precondition", "REQUEST");
  EXPECT_EQ(DetailsIn(after)["plimsoll.v1.SessionEnded"]["reason"], "SESSION_END_MAIN_PROCESS_ENDED");
}

TEST(Sessions, AnEndWithAResultStandsBesideIt) {
  SessionFixture fixture;
  const Json opened = fixture.Open();
  fixture.provider.sandboxes.at(0)->AnswerNext({SnippetReport("x"), run::SessionEnded{run::SessionEnd::kDiskExceeded}});
  const Json answer = Json::parse(fixture.Run(opened).body);
  EXPECT_EQ(answer["ended"], "SESSION_END_DISK_EXCEEDED");
  EXPECT_EQ(answer["run"]["javascript"]["stdout"], "eA==");
}

TEST(Sessions, W47_AnOwnersNewSessionReplacesItsIdleOne) {
  SessionFixture fixture;
  const Json first = fixture.Open({{"owner", "o"}});
  fixture.Open({{"owner", "o"}});
  EXPECT_EQ(DetailsIn(fixture.Run(first))["plimsoll.v1.SessionEnded"]["reason"], "SESSION_END_REPLACED");
  fixture.provider.sandboxes.at(1)->RemoveNext(base::Fault{base::FaultKind::kUnavailable, "no answer"});
  ExpectRefusal(fixture.Do("OpenSession", {{"owner", "o"}}), "resource_exhausted", "CAPACITY");
}

TEST(Sessions, W45_AThirdRequestIsRefusedForCapacity) {
  SessionFixture fixture;
  const Json opened = fixture.Open();
  fixture.provider.sandboxes.at(0)->Hold();
  const std::string body =
      Json{{"protocol", 5}, {"sessionId", opened["sessionId"]}, {"javascript", {{"code", "1"}}}}.dump();
  const auto running = fixture.Begin(Head("SessionRun", "application/json"), body);
  const auto waiting = fixture.Begin(Head("SessionRun", "application/json"), body);
  ExpectRefusal(fixture.Run(opened), "resource_exhausted", "CAPACITY");
  fixture.provider.sandboxes.at(0)->Release();
  EXPECT_EQ(Json::parse(running->Answer().get().body)["run"]["record"]["sequence"], "1");
  EXPECT_EQ(Json::parse(waiting->Answer().get().body)["run"]["record"]["sequence"], "2");
}

TEST(Sessions, ADeadlineThatPassesUnderACallIsToldWithItsRecord) {
  SessionFixture fixture;
  const Json opened = fixture.Open();
  fixture.provider.sandboxes.at(0)->Hold();
  const auto response =
      fixture.Ask(With(Head("SessionRun", "application/json"), {{"connect-timeout-ms", "30"}}),
                  Json{{"protocol", 5}, {"sessionId", opened["sessionId"]}, {"javascript", {{"code", "1"}}}}.dump());
  EXPECT_THAT(response.body, HasSubstr("\"code\":\"deadline_exceeded\""));
  EXPECT_EQ(DetailsIn(response)["plimsoll.v1.UnansweredCall"]["record"]["unanswered"], "deadline_exceeded");
}

TEST(Sessions, ACloseThatIsNotWaitedForIsNoStatement) {
  SessionFixture fixture;
  const Json opened = fixture.Open();
  fixture.provider.sandboxes.at(0)->HoldRemoval();
  const auto close = With(Head("CloseSession", "application/json"), {{"connect-timeout-ms", "30"}});
  const std::string body = Json{{"protocol", 5}, {"sessionId", opened["sessionId"]}}.dump();
  const http::Response response = fixture.Ask(close, body);
  EXPECT_THAT(response.body, HasSubstr("\"code\":\"deadline_exceeded\""));
  EXPECT_THAT(response.body, HasSubstr("still ending"));
  EXPECT_EQ(DetailsIn(response).size(), 0U);
  fixture.provider.sandboxes.at(0)->ReleaseRemoval();
  EXPECT_EQ(fixture.Ask(Head("CloseSession", "application/json"), body).status, 200);
}

TEST(Sessions, TheRecordOfAnUnansweredCallHasTheCodeOfItsError) {
  for (const base::FaultKind kind : {base::FaultKind::kCanceled, base::FaultKind::kDeadline,
                                     base::FaultKind::kSessionEnded, base::FaultKind::kInternal}) {
    EXPECT_EQ(dispatch::UnansweredCode(kind), Name(CodeOf(kind)));
  }
}

}  // namespace
}  // namespace plimsoll::rpc::test
