// What a session believes, and what it does when it cannot.
#include <gtest/gtest.h>

#include "base/base64.h"
#include "clients/cpp/fake_session_for_test.h"
#include "records/vectors_for_test.h"

namespace plimsoll::client {
namespace {

using Json = nlohmann::json;
using Outcome = std::variant<Answer, Failure>;

const OpenSessionOptions kAtKernel = {.minimum_isolation = "kernel", .software = SoftwareRule::Exact("oci-manifest:a")};

// The run's answer with its record sealed again: the lie is then in what the record says only.
void Seal(Json& answer) { answer["run"] = Sealed(answer["run"]); }

// An open session of a daemon that bends its nth call (from 1) with `bend`.
struct Bent {
  Bent(int nth, std::function<Outcome(FakeSession&, const Post&)> bend)
      : harness([this, nth, bend = std::move(bend)](const Post& post) -> Outcome {
          if (Is(post, "SessionRun") && ++calls == nth) {
            return bend(daemon, post);
          }
          return Ok(post, daemon.Truth(post));
        }),
        session(harness.client.OpenSession(kAtKernel).value()) {}

  FakeSession daemon;
  int calls = 0;
  Harness harness;
  Session session;
};

// A bend that changes an answer.
std::function<Outcome(FakeSession&, const Post&)> Lie(std::function<void(Json&)> change) {
  return [change = std::move(change)](FakeSession& daemon, const Post& post) {
    Json truth = daemon.Truth(post);
    change(truth);
    return Ok(post, truth);
  };
}

// Whether every later call is refused here and nothing is sent, while a close still goes out.
void ExpectStopped(Bent& bent) {
  EXPECT_TRUE(bent.session.stopped());
  const std::size_t sent = bent.harness.sent.size();
  const auto later = bent.session.RunJavaScript("later");
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().error_class, ErrorClass::kSessionStopped);
  EXPECT_EQ(later.error().code, Code::kFailedPrecondition);
  EXPECT_EQ(later.error().not_dispatched, NotDispatched::kRequest);
  EXPECT_FALSE(bent.session.RunCell({.code = "1"}));
  EXPECT_FALSE(bent.session.RunProject({.steps = {"true"}}));
  EXPECT_EQ(bent.harness.sent.size(), sent);
  static_cast<void>(bent.session.Close());
  EXPECT_EQ(bent.harness.sent.size(), sent + 1);
}

TEST(SessionChain, C16_CLI6_RefusesASkippedARepeatedAndAForeignRecordAndStops) {
  const std::vector<std::function<void(Json&)>> lies = {
      [](Json& a) { a["run"]["record"]["sequence"] = "3"; },
      [](Json& a) { a["run"]["record"]["sequence"] = "1"; },
      [](Json& a) { a["run"]["record"]["sequence"] = "0"; },
      [](Json& a) { a["run"]["record"]["previousSha256"] = ""; },
      [](Json& a) { a["run"]["record"]["previousSha256"] = std::string(64, '0'); },
      [](Json& a) { a["run"]["record"]["session"] = records::Fingerprint("another"); },
      [](Json& a) { a["run"]["record"]["session"] = ""; }};
  for (const auto& lie : lies) {
    Bent bent(2, Lie([&](Json& answer) {
                lie(answer);
                Seal(answer);
              }));
    ASSERT_TRUE(bent.session.RunJavaScript("1"));
    const std::string last = bent.session.last_record_sha256();
    const auto result = bent.session.RunJavaScript("2");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().error_class, ErrorClass::kChain) << result.error().message;
    EXPECT_EQ(result.error().code, Code::kDataLoss);
    EXPECT_EQ(result.error().not_dispatched, std::nullopt);
    ASSERT_TRUE(result.error().result);  // what came back, without the record that failed
    EXPECT_FALSE(std::get<JavaScriptResult>(*result.error().result).evidence.record);
    EXPECT_EQ(bent.session.calls(), 1U);
    EXPECT_EQ(bent.session.last_record_sha256(), last);
    ExpectStopped(bent);
  }
}

TEST(SessionChain, C16_RefusesTheAnswerOfTheCallBeforeSentAgain) {
  Json first;
  Bent bent(2, Lie([&](Json& answer) { answer = first; }));
  ASSERT_TRUE(bent.session.RunJavaScript("1"));
  // The same code, so that only its place gives the old answer away.
  first = [&] {
    FakeSession other;
    return other.Truth(bent.harness.sent.back());
  }();
  EXPECT_EQ(bent.session.RunJavaScript("1").error().error_class, ErrorClass::kChain);
  ExpectStopped(bent);
}

TEST(SessionChain, C15_MovesNothingForAnAnswerThatDoesNotCheck) {
  using Check = std::pair<ErrorClass, std::function<void(Json&)>>;
  const std::vector<Check> checks = {
      {ErrorClass::kRecordMismatch,
       [](Json& a) {
         a["run"]["record"]["endedUnixMs"] = "999";
         Seal(a);
       }},
      {ErrorClass::kRecordMismatch, [](Json& a) { a["run"]["javascript"]["stdout"] = "NDMK"; }},
      {ErrorClass::kNoRecord, [](Json& a) { a["run"].erase("record"); }},
      {ErrorClass::kRecordVersion, [](Json& a) { a["run"]["record"]["version"] = 3; }},
      {ErrorClass::kResultKindMismatch,
       [](Json& a) {
         a["run"].erase("javascript");
         a["run"]["cell"] = Json::object();
       }},
      {ErrorClass::kResultKindMismatch, [](Json& a) { a.erase("run"); }},
      {ErrorClass::kMalformedResponse, [](Json& a) { a["run"]["isolation"] = 3; }},
      {ErrorClass::kMalformedResponse, [](Json& a) { a["ended"] = "EXPIRED"; }},
      {ErrorClass::kIsolationEvidenceMismatch, [](Json& a) {
         a["run"]["isolation"] = "container";
         a["run"]["record"]["isolation"] = "container";
         Seal(a);
       }}};
  for (const auto& [error_class, lie] : checks) {
    Bent bent(2, Lie(lie));
    ASSERT_TRUE(bent.session.RunJavaScript("1"));
    const std::string last = bent.session.last_record_sha256();
    const auto result = bent.session.RunJavaScript("2");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().error_class, error_class) << result.error().message;
    EXPECT_EQ(bent.session.calls(), 1U);
    EXPECT_EQ(bent.session.last_record_sha256(), last);
    ExpectStopped(bent);
  }
}

TEST(SessionChain, ChecksTheFloorBeforeTheChain) {
  Bent bent(1, Lie([](Json& a) {
              a["run"]["isolation"] = "container";
              a["run"]["record"]["isolation"] = "container";
              a["run"]["record"]["sequence"] = "7";
              Seal(a);
            }));
  EXPECT_EQ(bent.session.RunJavaScript("1").error().error_class, ErrorClass::kIsolationEvidenceMismatch);
}

TEST(SessionChain, C18_KeepsTheRecordOfAnUnansweredCallAndGoesOn) {
  Bent bent(
      2, [](FakeSession& daemon, const Post& post) { return Refused(post, 500, daemon.Unanswered(post, "internal")); });
  ASSERT_TRUE(bent.session.RunJavaScript("1"));
  const auto result = bent.session.RunJavaScript("2");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error_class, ErrorClass::kOther);
  EXPECT_EQ(result.error().code, Code::kInternal);
  EXPECT_EQ(result.error().not_dispatched, std::nullopt);
  EXPECT_EQ(result.error().http_status, 500);
  EXPECT_EQ(result.error().message, "it failed");
  ASSERT_TRUE(result.error().unanswered);
  EXPECT_EQ(result.error().unanswered->unanswered, "internal");
  EXPECT_EQ(result.error().unanswered->sequence, 2U);
  EXPECT_FALSE(bent.session.stopped());
  EXPECT_EQ(bent.session.calls(), 2U);
  EXPECT_EQ(bent.session.last_record_sha256(), result.error().unanswered->record_sha256);
  const auto next = bent.session.RunJavaScript("3");
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(next->evidence.record->sequence, 3U);
  EXPECT_TRUE(bent.session.Close());
}

TEST(SessionChain, C18_TakesAnUnansweredCallThatEndedTheSession) {
  Bent bent(1, [](FakeSession& daemon, const Post& post) {
    const records::Record record = daemon.UnansweredRecord(post, "failed_precondition");
    return Refused(post, 400,
                   ErrorWith("failed_precondition", {{"plimsoll.v1.UnansweredCall", EncodeUnansweredCall(record)},
                                                     {"plimsoll.v1.SessionEnded", EncodeSessionEnded(5, "")}}));
  });
  const auto result = bent.session.RunJavaScript("1");
  EXPECT_EQ(result.error().error_class, ErrorClass::kSessionEnded);
  EXPECT_EQ(result.error().not_dispatched, std::nullopt);
  ASSERT_TRUE(result.error().unanswered);
  EXPECT_EQ(bent.session.ended()->reason, SessionEnd::kBoundaryFailed);
  EXPECT_FALSE(bent.session.stopped());
  EXPECT_EQ(bent.session.calls(), 1U);
}

// A bend whose unanswered record was changed before it was sealed.
std::function<Outcome(FakeSession&, const Post&)> UnansweredLie(std::function<void(records::Record&)> change) {
  return [change = std::move(change)](FakeSession& daemon, const Post& post) {
    records::Record record = daemon.UnansweredRecord(post, "internal");
    record.record_sha256.clear();
    change(record);
    if (record.record_sha256.empty()) {
      record.record_sha256 = records::RecordDigest(record);
    }
    return Refused(post, 500, ErrorWith("internal", {{"plimsoll.v1.UnansweredCall", EncodeUnansweredCall(record)}}));
  };
}

TEST(SessionChain, C19_RefusesAnUnansweredRecordOfAnotherSandboxAndStops) {
  using records::Record;
  using Check = std::pair<ErrorClass, std::function<void(Record&)>>;
  const std::vector<Check> checks = {
      {ErrorClass::kRecordMismatch, [](Record& r) { r.provider = "wasm"; }},
      {ErrorClass::kRecordMismatch, [](Record& r) { r.isolation = "vm"; }},
      {ErrorClass::kRecordMismatch, [](Record& r) { r.software_identity = "oci-manifest:b"; }},
      {ErrorClass::kRecordMismatch, [](Record& r) { r.software_rule_id = "exact:oci-manifest:b"; }},
      {ErrorClass::kRecordMismatch, [](Record& r) { r.request_sha256 = std::string(64, '0'); }},
      {ErrorClass::kRecordMismatch, [](Record& r) { r.record_sha256 = std::string(64, '0'); }},
      {ErrorClass::kRecordMismatch, [](Record& r) { r.result_sha256 = std::string(64, '0'); }},
      {ErrorClass::kRecordMismatch, [](Record& r) { r.unanswered = "crashed"; }},
      {ErrorClass::kRecordMismatch, [](Record& r) { r.unanswered = ""; }},
      {ErrorClass::kRecordMismatch, [](Record& r) { r.instance = "bad"; }},
      {ErrorClass::kRecordVersion, [](Record& r) { r.version = 3; }},
      {ErrorClass::kIsolationEvidenceMismatch, [](Record& r) { r.isolation = "container"; }},
      {ErrorClass::kChain, [](Record& r) { r.sequence = 2; }},
      {ErrorClass::kChain, [](Record& r) { r.previous_sha256 = std::string(64, '0'); }},
      {ErrorClass::kChain, [](Record& r) { r.session = records::Fingerprint("another"); }}};
  for (const auto& [error_class, change] : checks) {
    Bent bent(1, UnansweredLie(change));
    const auto result = bent.session.RunJavaScript("1");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().error_class, error_class) << result.error().message;
    EXPECT_EQ(result.error().code, Code::kDataLoss);
    EXPECT_EQ(result.error().not_dispatched, std::nullopt);
    EXPECT_EQ(result.error().http_status, 500);
    EXPECT_FALSE(result.error().unanswered);
    EXPECT_EQ(bent.session.calls(), 0U);
    ExpectStopped(bent);
  }
}

TEST(SessionChain, AnUndecodableUnansweredCallSaysNothing) {
  Bent bent(1, [](FakeSession&, const Post& post) {
    return Refused(post, 500, ErrorWith("internal", {{"plimsoll.v1.UnansweredCall", "\x0a\x05"}}));
  });
  const auto result = bent.session.RunJavaScript("1");
  EXPECT_EQ(result.error().error_class, ErrorClass::kOther);
  EXPECT_FALSE(result.error().unanswered);
  ExpectStopped(bent);
}

TEST(SessionChain, AMarkWinsOverAnUnansweredCall) {
  Bent bent(1, [](FakeSession& daemon, const Post& post) {
    const records::Record record = daemon.UnansweredRecord(post, "internal");
    return Refused(post, 500,
                   ErrorWith("internal", {{"plimsoll.v1.UnansweredCall", EncodeUnansweredCall(record)},
                                          {"plimsoll.v1.NotDispatched", "\x08\x07"}}));
  });
  const auto result = bent.session.RunJavaScript("1");
  EXPECT_EQ(result.error().not_dispatched, NotDispatched::kEnvironment);
  EXPECT_FALSE(result.error().unanswered);
  EXPECT_EQ(bent.session.calls(), 0U);
  EXPECT_TRUE(bent.session.RunJavaScript("2"));
}

TEST(SessionChain, R23_CLI6_SendsNothingAfterALostAnswer) {
  const std::vector<Failure> failures = {{FailureKind::kBroken, Progress::kMayHaveSent, "gone"},
                                         {FailureKind::kTimeout, Progress::kMayHaveSent, "late"},
                                         {FailureKind::kCanceled, Progress::kMayHaveSent, "stopped"},
                                         {FailureKind::kTooLarge, Progress::kMayHaveSent, "large"}};
  for (const Failure& failure : failures) {
    Bent bent(2, [&](FakeSession&, const Post&) { return failure; });
    ASSERT_TRUE(bent.session.RunJavaScript("1"));
    EXPECT_EQ(bent.session.RunJavaScript("2").error().not_dispatched, std::nullopt);
    EXPECT_FALSE(bent.session.ended());  // a stop is no end that the daemon stated
    ExpectStopped(bent);
  }
  // An error that says neither that nothing ran nor how the call was counted.
  Bent bent(1, [](FakeSession&, const Post& post) { return Refused(post, 500, {{"code", "internal"}}); });
  EXPECT_EQ(bent.session.RunJavaScript("1").error().code, Code::kInternal);
  ExpectStopped(bent);
}

TEST(SessionChain, R23_GoesOnAfterACallThatDidNotLeave) {
  Bent bent(1, [](FakeSession&, const Post&) {
    return Failure{FailureKind::kUnreachable, Progress::kNothingSent, "nobody there"};
  });
  EXPECT_EQ(bent.session.RunJavaScript("1").error().not_dispatched, NotDispatched::kEnvironment);
  EXPECT_FALSE(bent.session.stopped());
  EXPECT_TRUE(bent.session.RunJavaScript("2"));
}

TEST(SessionChain, R24_IgnoresTheDetailsOfAnAnswerWithoutItsRequestId) {
  for (const bool marked : {true, false}) {
    Bent bent(1, [&](FakeSession& daemon, const Post& post) {
      const records::Record record = daemon.UnansweredRecord(post, "internal");
      Answer answer = Refused(post, 500,
                              ErrorWith("internal", {{"plimsoll.v1.UnansweredCall", EncodeUnansweredCall(record)},
                                                     {"plimsoll.v1.SessionEnded", EncodeSessionEnded(2, "")},
                                                     {marked ? "plimsoll.v1.NotDispatched" : "none", "\x08\x07"}}));
      std::erase_if(answer.fields, [](const auto& field) { return field.first == "plimsoll-request-id"; });
      return answer;
    });
    const auto result = bent.session.RunJavaScript("1");
    EXPECT_EQ(result.error().code, Code::kInternal);
    EXPECT_TRUE(result.error().answer_not_bound);
    EXPECT_EQ(result.error().not_dispatched, std::nullopt);
    EXPECT_FALSE(result.error().unanswered);
    EXPECT_FALSE(result.error().session_ended);
    EXPECT_FALSE(bent.session.ended());
    EXPECT_EQ(bent.session.calls(), 0U);
    ExpectStopped(bent);
  }
}

TEST(SessionChain, R25_FindsASecondHolderOfTheSession) {
  Bent bent(99, {});
  ASSERT_TRUE(bent.session.RunJavaScript("1"));
  static_cast<void>(bent.daemon.Truth(bent.harness.sent.back()));  // another one with the ID makes a call
  EXPECT_EQ(bent.session.RunJavaScript("2").error().error_class, ErrorClass::kChain);
  ExpectStopped(bent);
}

TEST(SessionChain, R25_FindsASecondHolderAtTheClose) {
  Bent bent(99, {});
  ASSERT_TRUE(bent.session.RunJavaScript("1"));
  static_cast<void>(bent.daemon.Truth(bent.harness.sent.back()));
  const auto summary = bent.session.Close();
  EXPECT_EQ(summary.error().error_class, ErrorClass::kChain);
  EXPECT_EQ(summary.error().summary->calls, 2U);
}

// What comes of a close that the daemon bends after one call, twice, and how often it was asked.
void CloseTwice(const std::function<void(Json&)>& lie, const SessionSummary& stated) {
  FakeSession daemon;
  Harness harness([&](const Post& post) {
    Json truth = daemon.Truth(post);
    if (Is(post, "CloseSession")) {
      lie(truth);
    }
    return Ok(post, truth);
  });
  auto session = harness.client.OpenSession();
  ASSERT_TRUE(session->RunJavaScript("1"));
  for (int i = 0; i < 2; ++i) {
    const auto summary = session->Close();
    ASSERT_FALSE(summary);
    EXPECT_EQ(summary.error().error_class, ErrorClass::kChain);
    EXPECT_EQ(summary.error().code, Code::kDataLoss);
    ASSERT_TRUE(summary.error().summary);
    EXPECT_EQ(summary.error().summary->calls, stated.calls);
    EXPECT_EQ(summary.error().summary->ended, SessionEnd::kClosed);
  }
  EXPECT_EQ(MethodsOf(harness.sent), "OpenSession SessionRun CloseSession");
}

TEST(SessionChain, C17_RefusesACloseThatStatesOneCallMoreAndSendsNothingTheSecondTime) {
  CloseTwice([](Json& answer) { answer["calls"] = "2"; }, {.calls = 2});
}

TEST(SessionChain, R26_RefusesACloseThatNamesAnotherLastRecordOrSession) {
  CloseTwice([](Json& answer) { answer["lastRecordSha256"] = std::string(64, '0'); }, {.calls = 1});
  CloseTwice([](Json& answer) { answer["lastRecordSha256"] = ""; }, {.calls = 1});
  CloseTwice([](Json& answer) { answer["session"] = std::string(64, '0'); }, {.calls = 1});
}

TEST(SessionChain, ReturnsTheFirstOutcomeOfACloseAndAsksOnlyOnce) {
  FakeSession daemon;
  Harness harness(daemon.Honest());
  auto session = harness.client.OpenSession();
  const auto first = session->Close();
  const auto second = session->Close();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(MethodsOf(harness.sent), "OpenSession CloseSession");
}

TEST(SessionChain, AsksAgainAfterACloseWithoutAnAnswer) {
  FakeSession daemon;
  int closes = 0;
  Harness harness([&](const Post& post) -> Outcome {
    if (Is(post, "CloseSession") && closes++ == 0) {
      return Failure{FailureKind::kBroken, Progress::kMayHaveSent, "gone"};
    }
    return Ok(post, daemon.Truth(post));
  });
  auto session = harness.client.OpenSession();
  EXPECT_EQ(session->Close().error().error_class, ErrorClass::kTransport);
  EXPECT_TRUE(session->Close());
}

// The client's word for what came of a call, as the vectors have it.
std::string Verdict(const Result<JavaScriptResult>& result, bool sent) {
  if (result) {
    return "ok";
  }
  if (result.error().unanswered) {
    return "unanswered-kept";
  }
  return sent ? std::string(Name(result.error().error_class)) + "Error" : "PlimsollError/not-sent";
}

// What the vector's daemon answers to a call.
Outcome AnswerOf(const Post& post, const Json& call) {
  if (call.value("lost", false)) {
    return Failure{FailureKind::kBroken, Progress::kMayHaveSent, "lost"};
  }
  const Json& record = call["record"];
  if (call.contains("unanswered")) {
    const std::string bytes = EncodeUnansweredCall(records::RecordFromVector(record));
    return Refused(post, 503,
                   ErrorWith(call["unanswered"].get<std::string>(), {{"plimsoll.v1.UnansweredCall", bytes}}));
  }
  const auto out = call["stdout"].get<std::string>();
  return Ok(post, {{"run",
                    {{"sandbox", record["provider"]},
                     {"isolation", record["isolation"]},
                     {"environment", record["environment"]},
                     {"softwareIdentity", record["softwareIdentity"]},
                     {"javascript", {{"stdout", base::Base64Encode(out, base::Padding::kPadded)}}},
                     {"record", record}}}});
}

std::vector<std::string> VerdictsOf(const Json& vector) {
  const Json& input = vector["input"];
  std::size_t next = 0;
  const auto reply = [&](const Post& post) -> Outcome {
    if (Is(post, "OpenSession")) {
      const auto id = input["session_id"].get<std::string>();
      return Ok(post, {{"sessionId", id},
                       {"session", records::Fingerprint(id)},
                       {"sandbox", "docker"},
                       {"isolation", "kernel"},
                       {"softwareIdentity", input["rule"][0]}});
    }
    return Is(post, "CloseSession") ? Ok(post, input["close"]) : AnswerOf(post, input["calls"][next]);
  };
  Harness harness(reply, {.protocol = 4});
  auto session = harness.client.OpenSession(
      {.minimum_isolation = input["floor"], .software = SoftwareRule::Exact(input["rule"][0])});
  std::vector<std::string> verdicts;
  for (; next < input["calls"].size(); ++next) {
    const std::size_t before = harness.sent.size();
    const auto result = session->RunJavaScript(input["calls"][next]["code"]);
    verdicts.push_back(Verdict(result, harness.sent.size() > before));
  }
  if (!input["close"].is_null()) {
    const auto summary = session->Close();
    verdicts.push_back(summary ? "ok" : std::string(Name(summary.error().error_class)) + "Error");
  }
  return verdicts;
}

TEST(SessionChain, R22_GivesTheVerdictsOfEveryGoldenVector) {
  for (const Json& vector : records::VectorsOf("chain")) {
    EXPECT_EQ(VerdictsOf(vector), vector["expected"]["verdicts"].get<std::vector<std::string>>()) << vector["id"];
  }
}

}  // namespace
}  // namespace plimsoll::client
