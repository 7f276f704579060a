// What a session sends, what it takes and refuses, and what it says of itself.
#include <gtest/gtest.h>

#include <limits>

#include "clients/cpp/fake_session_for_test.h"
#include "clients/cpp/prepare.h"

namespace plimsoll::client {
namespace {

using Json = nlohmann::json;

const OpenSessionOptions kAtKernel = {.minimum_isolation = "kernel", .software = SoftwareRule::Exact("oci-manifest:a")};

Json BodyOf(const Harness& harness, std::size_t index) { return Json::parse(harness.sent.at(index).body); }

TEST(Session, OpensRunsEachKindAndCloses) {
  FakeSession daemon;
  Harness harness(daemon.Honest());
  auto session = harness.client.OpenSession(kAtKernel);
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->fingerprint(), records::Fingerprint(FakeSession::kId));
  EXPECT_EQ(session->provider(), "docker");
  EXPECT_EQ(session->isolation(), "kernel");
  EXPECT_EQ(session->software_identity(), "oci-manifest:a");
  EXPECT_EQ(session->expires().time_since_epoch(), std::chrono::milliseconds(1795000000000));
  EXPECT_EQ(session->idle_timeout(), std::chrono::minutes(5));
  EXPECT_EQ(session->calls(), 0U);
  EXPECT_EQ(session->last_record_sha256(), "");

  const auto snippet = session->RunJavaScript("console.log(42)");
  ASSERT_TRUE(snippet) << snippet.error().message;
  EXPECT_EQ(snippet->stdout_bytes, "42\n");
  EXPECT_EQ(snippet->evidence.record->sequence, 1U);
  const auto project = session->RunProject({.steps = {"true"}});
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_EQ(project->outcome, Outcome::kCompleted);
  const auto cell = session->RunCell({.code = "print(42)", .files = {{"a.txt", "a"}}});
  ASSERT_TRUE(cell) << cell.error().message;
  EXPECT_EQ(cell->output.stdout_bytes, "42\n");
  EXPECT_TRUE(cell->interpreter_started);
  EXPECT_EQ(cell->output.evidence.record->sequence, 3U);
  EXPECT_EQ(session->calls(), 3U);
  EXPECT_EQ(session->last_record_sha256(), daemon.chain().last_sha256());

  const auto summary = session->Close();
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(*summary, (SessionSummary{.session = session->fingerprint(),
                                      .calls = 3,
                                      .last_record_sha256 = daemon.chain().last_sha256(),
                                      .ended = SessionEnd::kClosed}));
  EXPECT_EQ(session->ended()->reason, SessionEnd::kClosed);
  EXPECT_FALSE(session->stopped());
  EXPECT_EQ(MethodsOf(harness.sent), "OpenSession SessionRun SessionRun SessionRun CloseSession");
}

TEST(Session, SendsWhatItWasGivenUnderTheNamesOfTheProtocol) {
  FakeSession daemon;
  Harness harness(daemon.Honest());
  auto session = harness.client.OpenSession({.minimum_isolation = "container",
                                             .software = SoftwareRule::Approved({"oci-manifest:a", "oci-manifest:b"}),
                                             .lifetime = std::chrono::minutes(10),
                                             .idle_timeout = std::chrono::microseconds(1),
                                             .trace_id = "job-1",
                                             .languages = {"python", "javascript", "python"}});
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(BodyOf(harness, 0),
            (Json{{"protocol", 5},
                  {"minimumIsolation", "container"},
                  {"traceId", "job-1"},
                  {"lifetimeMs", 600000},
                  {"idleTimeoutMs", 1},
                  {"softwareRule", {{"mode", "approved"}, {"identities", {"oci-manifest:a", "oci-manifest:b"}}}},
                  {"languages", {"python", "javascript"}}}));
  ASSERT_TRUE(session->RunCell({.code = "1", .language = "javascript"}, {.timeout = std::chrono::seconds(2)}));
  EXPECT_EQ(BodyOf(harness, 1),
            (Json{{"protocol", 5},
                  {"minimumIsolation", "container"},
                  {"timeoutMs", 2000},
                  {"softwareRule", {{"mode", "approved"}, {"identities", {"oci-manifest:a", "oci-manifest:b"}}}},
                  {"sessionId", FakeSession::kId},
                  {"cell", {{"language", "javascript"}, {"code", "1"}, {"files", Json::array()}}}}));
  ASSERT_TRUE(session->Close());
  EXPECT_EQ(BodyOf(harness, 2), (Json{{"protocol", 5}, {"sessionId", FakeSession::kId}}));
}

TEST(Session, C38_StatesTheProtocolOfItsClientInEachRequest) {
  FakeSession daemon;
  Harness harness(daemon.Honest(), {.protocol = 4});
  auto session = harness.client.OpenSession();
  ASSERT_TRUE(session && session->RunJavaScript("1") && session->Close());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(BodyOf(harness, i)["protocol"], 4);
  }
}

TEST(Session, C27_SendsADigestOfTheOwnerAndNeverItsName) {
  FakeSession daemon;
  Harness harness(daemon.Honest(), {.token = "plimsoll-test-token-0001"});
  auto session = harness.client.OpenSession({.owner = "alice@example.com"});
  ASSERT_TRUE(session && session->RunJavaScript("1") && session->Close());
  EXPECT_EQ(BodyOf(harness, 0)["owner"], "e4732c033d89ad48e522c54cea81022305ed94b6e820d609ae91e4e00da5e812");
  for (const Post& post : harness.sent) {
    EXPECT_EQ(post.body.find("alice"), std::string::npos);
    EXPECT_EQ(post.target.find("alice"), std::string::npos);
    for (const auto& [name, value] : post.fields) {
      EXPECT_EQ(value.find("alice"), std::string::npos);
    }
  }
}

TEST(Session, CLI7_ShowsItsIdInRequestBodiesAndNowhereElse) {
  FakeSession daemon;
  int calls = 0;
  Harness harness([&](const Post& post) {
    Json truth = daemon.Truth(post);
    if (Is(post, "SessionRun") && ++calls == 2) {
      truth["run"]["record"]["sequence"] = "7";  // a lie, for its error
    }
    return Ok(post, truth);
  });
  auto session = harness.client.OpenSession();
  const auto first = session->RunJavaScript("1");
  const auto lie = session->RunJavaScript("2");
  const auto stopped = session->RunJavaScript("3");
  const auto close = session->Close();
  ASSERT_FALSE(lie || stopped || close);
  for (const Error* error : {&lie.error(), &stopped.error(), &close.error()}) {
    EXPECT_EQ(error->message.find(FakeSession::kId), std::string::npos);
  }
  EXPECT_EQ(session->fingerprint().find(FakeSession::kId), std::string::npos);
  EXPECT_EQ(first->evidence.record->session, session->fingerprint());
  ASSERT_EQ(harness.sent.size(), 4U);
  for (const Post& post : harness.sent) {
    EXPECT_EQ(post.body.find(FakeSession::kId) != std::string::npos, !Is(post, "OpenSession"));
    EXPECT_EQ(post.target.find(FakeSession::kId), std::string::npos);
    for (const auto& [name, value] : post.fields) {
      EXPECT_EQ(value.find(FakeSession::kId), std::string::npos);
    }
  }
}

TEST(Session, C4_RefusesEachFieldOutOfRangeAndSendsNothing) {
  FakeSession daemon;
  Harness harness(daemon.Honest());
  const auto refused = [&](const auto& result, std::string_view what) {
    ASSERT_FALSE(result) << what;
    EXPECT_EQ(result.error().error_class, ErrorClass::kInvalidRequest) << what;
    EXPECT_EQ(result.error().not_dispatched, NotDispatched::kRequest) << what;
  };
  const Client& client = harness.client;
  const Milliseconds nan(std::nan(""));
  refused(client.OpenSession({.minimum_isolation = "none"}), "floor");
  refused(client.OpenSession({.software = {"exact", {"a", "b"}}}), "rule");
  refused(client.OpenSession({.lifetime = nan}), "lifetime");
  refused(client.OpenSession({.idle_timeout = nan}), "idle timeout");
  refused(client.OpenSession({.trace_id = "a/b"}), "trace id");
  refused(client.OpenSession({.languages = {"python", "ruby"}}), "language");
  refused(client.OpenSession({.owner = ""}), "an empty owner");
  refused(client.OpenSession({.owner = "\xff"}), "an owner that is no text");
  EXPECT_TRUE(harness.sent.empty());

  auto session = client.OpenSession();
  refused(session->RunJavaScript(""), "no code");
  refused(session->RunProject({}), "no steps");
  refused(session->RunCell({.code = "1", .language = "ruby"}), "language of a cell");
  refused(session->RunCell({.code = ""}), "no code in a cell");
  refused(session->RunCell({.code = "1", .files = {{"../a", ""}}}), "path of a cell");
  refused(session->RunCell({.code = "\xff"}), "a cell that is no text");
  refused(session->RunCell({.code = "1"}, {.grant_profile = "g"}), "a cell with a grant");
  refused(session->RunJavaScript("1", {.minimum_isolation = "Kernel"}), "floor of a call");
  refused(session->RunJavaScript("1", {.software = {"exact", {}}}), "rule of a call");
  EXPECT_EQ(MethodsOf(harness.sent), "OpenSession");
  EXPECT_FALSE(session->stopped());
  EXPECT_TRUE(session->RunJavaScript("1"));
}

TEST(LifetimeOnTheWire, NeverWraps) {
  EXPECT_EQ(LifetimeOnTheWire(Milliseconds(0)), 0U);
  EXPECT_EQ(LifetimeOnTheWire(Milliseconds(-5)), 0U);
  EXPECT_EQ(LifetimeOnTheWire(std::chrono::microseconds(1)), 1U);
  EXPECT_EQ(LifetimeOnTheWire(Milliseconds(4294967294.0)), 4294967294U);
  EXPECT_EQ(LifetimeOnTheWire(std::chrono::hours(1'000'000)), std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(LifetimeOnTheWire(Milliseconds(std::nan(""))), std::nullopt);
}

// The floor and the rule that a call sends in a session with these terms.
std::string InForce(const OpenSessionOptions& opened, const RunOptions& call) {
  FakeSession daemon;
  Harness harness(daemon.Honest());
  auto session = harness.client.OpenSession(opened);
  const auto result = session->RunJavaScript("1", call);
  EXPECT_TRUE(result) << result.error().message;  // its record names the rule that was sent
  const Json body = BodyOf(harness, 1);
  return body.value("minimumIsolation", "") + " " + body.value("softwareRule", Json::object()).dump();
}

TEST(Session, RaisesTheFloorForACallAndNeverLowersIt) {
  EXPECT_EQ(InForce({.minimum_isolation = "container"}, {.minimum_isolation = "kernel"}), "kernel {}");
  EXPECT_EQ(InForce({.minimum_isolation = "kernel"}, {.minimum_isolation = "process"}), "kernel {}");
  EXPECT_EQ(InForce({.minimum_isolation = "kernel"}, {}), "kernel {}");
  EXPECT_EQ(InForce({}, {.minimum_isolation = "process"}), "process {}");
}

TEST(Session, NarrowsTheRuleForACallToWhatBothAllow) {
  const OpenSessionOptions opened = {.software = SoftwareRule::Approved({"oci-manifest:b", "oci-manifest:a"})};
  EXPECT_EQ(InForce(opened, {}), R"( {"identities":["oci-manifest:b","oci-manifest:a"],"mode":"approved"})");
  EXPECT_EQ(InForce(opened, {.software = SoftwareRule::Approved({"oci-manifest:a", "oci-manifest:c"})}),
            R"( {"identities":["oci-manifest:a"],"mode":"exact"})");
  EXPECT_EQ(InForce({}, {.software = SoftwareRule::Exact("oci-manifest:a")}),
            R"( {"identities":["oci-manifest:a"],"mode":"exact"})");
}

TEST(Session, RefusesARuleThatLeavesNothingAndSendsNothing) {
  FakeSession daemon;
  Harness harness(daemon.Honest());
  auto session = harness.client.OpenSession(kAtKernel);
  const auto result = session->RunJavaScript("1", {.software = SoftwareRule::Exact("oci-manifest:b")});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error_class, ErrorClass::kInvalidRequest);
  EXPECT_EQ(result.error().not_dispatched, NotDispatched::kRequest);
  EXPECT_EQ(MethodsOf(harness.sent), "OpenSession");
  EXPECT_TRUE(session->RunJavaScript("1"));
}

// What came of an open that the daemon bends, and what was sent.
std::pair<Error, std::string> OpenAndFail(const std::function<void(Json&)>& lie) {
  FakeSession daemon;
  Harness harness([&](const Post& post) {
    Json truth = daemon.Truth(post);
    if (Is(post, "OpenSession")) {
      lie(truth);
    } else {
      EXPECT_EQ(Json::parse(post.body)["sessionId"], FakeSession::kId);
    }
    return Ok(post, truth);
  });
  const auto session = harness.client.OpenSession(kAtKernel);
  EXPECT_FALSE(session);
  return {session ? Error{} : session.error(), MethodsOf(harness.sent)};
}

TEST(Session, C20_CLI8_ClosesASessionOpenedBelowTheFloorOrOutsideTheRule) {
  for (const char* tier : {"container", "none", "", "hypervisor"}) {
    const auto [error, sent] = OpenAndFail([&](Json& answer) { answer["isolation"] = tier; });
    EXPECT_EQ(error.error_class, ErrorClass::kIsolationEvidenceMismatch) << tier;
    EXPECT_EQ(error.code, Code::kDataLoss);
    EXPECT_EQ(error.not_dispatched, std::nullopt);
    EXPECT_EQ(sent, "OpenSession CloseSession");
  }
  for (const char* software : {"oci-manifest:b", ""}) {
    const auto [error, sent] = OpenAndFail([&](Json& answer) { answer["softwareIdentity"] = software; });
    EXPECT_EQ(error.error_class, ErrorClass::kSoftwareEvidenceMismatch) << software;
    EXPECT_EQ(error.code, Code::kDataLoss);
    EXPECT_EQ(sent, "OpenSession CloseSession");
  }
}

TEST(Session, R27_ClosesASessionWhoseFingerprintIsNotThatOfItsId) {
  for (const std::string& fingerprint : {std::string(64, '0'), std::string()}) {
    const auto [error, sent] = OpenAndFail([&](Json& answer) { answer["session"] = fingerprint; });
    EXPECT_EQ(error.error_class, ErrorClass::kChain);
    EXPECT_EQ(error.code, Code::kDataLoss);
    EXPECT_EQ(error.http_status, 200);
    EXPECT_EQ(sent, "OpenSession CloseSession");
  }
}

TEST(Session, C20_IgnoresWhatComesOfTheCloseOfASessionThatFailed) {
  FakeSession daemon;
  Harness harness([&](const Post& post) -> std::variant<Answer, Failure> {
    Json truth = daemon.Truth(post);
    truth["isolation"] = "process";
    if (Is(post, "CloseSession")) {
      return Failure{FailureKind::kBroken, Progress::kMayHaveSent, "gone"};
    }
    return Ok(post, truth);
  });
  const auto session = harness.client.OpenSession(kAtKernel);
  EXPECT_EQ(session.error().error_class, ErrorClass::kIsolationEvidenceMismatch);
}

TEST(Session, KnowsAnEndThatCameWithAnAnswer) {
  FakeSession daemon;
  Harness harness([&](const Post& post) {
    Json truth = daemon.Truth(post);
    if (Is(post, "SessionRun")) {
      truth["ended"] = "SESSION_END_DISK_EXCEEDED";
      truth["endDetail"] = "1100 MiB, limit 1024";
    }
    return Ok(post, truth);
  });
  auto session = harness.client.OpenSession();
  EXPECT_FALSE(session->ended());
  ASSERT_TRUE(session->RunJavaScript("1"));  // it has its result all the same
  ASSERT_TRUE(session->ended());
  EXPECT_EQ(session->ended(), (SessionEnded{SessionEnd::kDiskExceeded, "1100 MiB, limit 1024"}));
  EXPECT_FALSE(session->stopped());
  const auto later = session->RunJavaScript("2");
  EXPECT_EQ(later.error().error_class, ErrorClass::kSessionEnded);
  EXPECT_EQ(later.error().code, Code::kFailedPrecondition);
  EXPECT_EQ(later.error().not_dispatched, NotDispatched::kRequest);
  EXPECT_EQ(later.error().session_ended, session->ended());
  EXPECT_EQ(MethodsOf(harness.sent), "OpenSession SessionRun");
  EXPECT_TRUE(session->Close());                                   // collects the count
  EXPECT_EQ(session->ended()->reason, SessionEnd::kDiskExceeded);  // the first end that was stated
}

TEST(Session, ReadsAnEndOfTheFutureAsUnknownAndNeverAsOpen) {
  for (const Json& end : {Json("SESSION_END_MOVED"), Json(99), Json(-1)}) {
    FakeSession daemon;
    Harness harness([&](const Post& post) {
      Json truth = daemon.Truth(post);
      truth["ended"] = end;
      return Ok(post, truth);
    });
    auto session = harness.client.OpenSession();
    EXPECT_TRUE(session->RunJavaScript("1"));
    ASSERT_TRUE(session->ended()) << end;
    EXPECT_EQ(session->ended()->reason, SessionEnd::kUnknown) << end;
  }
}

TEST(Session, KnowsAnEndThatCameWithARefusal) {
  FakeSession daemon;
  Harness harness([&](const Post& post) {
    if (Is(post, "SessionRun")) {
      return Refused(post, 400,
                     ErrorWith("failed_precondition",
                               {{"plimsoll.v1.NotDispatched", "\x08\x01"},
                                {"type.googleapis.com/plimsoll.v1.SessionEnded", EncodeSessionEnded(2, "after 30m")}}));
    }
    return Ok(post, daemon.Truth(post));
  });
  auto session = harness.client.OpenSession();
  const auto result = session->RunJavaScript("1");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error_class, ErrorClass::kSessionEnded);
  EXPECT_EQ(result.error().not_dispatched, NotDispatched::kRequest);
  EXPECT_EQ(result.error().session_ended, (SessionEnded{SessionEnd::kExpired, "after 30m"}));
  EXPECT_EQ(session->ended(), result.error().session_ended);
  EXPECT_FALSE(session->stopped());
}

TEST(Session, GoesOnAfterAMarkedRefusal) {
  FakeSession daemon;
  int calls = 0;
  Harness harness([&](const Post& post) {
    if (Is(post, "SessionRun") && calls++ == 0) {
      return Refused(post, 429, ErrorWithDetail("resource_exhausted", "\x08\x06"));
    }
    return Ok(post, daemon.Truth(post));
  });
  auto session = harness.client.OpenSession();
  EXPECT_EQ(session->RunJavaScript("1").error().error_class, ErrorClass::kAtCapacity);
  EXPECT_FALSE(session->stopped());
  const auto next = session->RunJavaScript("2");
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(next->evidence.record->sequence, 1U);  // R18: no gap
}

TEST(Session, IsClosedWhenItGoesOutOfScope) {
  FakeSession daemon;
  Harness harness(daemon.Honest());
  {
    auto session = harness.client.OpenSession();
  }
  EXPECT_EQ(MethodsOf(harness.sent), "OpenSession CloseSession");
  EXPECT_LE(harness.sent.back().timeout, std::chrono::seconds(5));
  EXPECT_EQ(harness.sent.front().timeout, std::chrono::seconds(360));
  harness.sent.clear();
  {
    auto session = harness.client.OpenSession();
    ASSERT_TRUE(session->Close());
    auto moved = std::move(session);
  }
  EXPECT_EQ(MethodsOf(harness.sent), "OpenSession CloseSession");
}

TEST(Session, OutlivesItsClient) {
  FakeSession daemon;
  std::vector<Post> sent;
  auto client = std::make_unique<Client>(
      Client::CreateForTest({.base_url = "http://127.0.0.1:1"}, std::make_unique<FakeTransport>(daemon.Honest(), sent))
          .value());
  auto session = client->OpenSession();
  client.reset();
  EXPECT_TRUE(session->RunJavaScript("1"));
  EXPECT_TRUE(session->Close());
}

TEST(Session, IsRefusedByADaemonWithoutSessions) {
  Harness harness([](const Post& post) { return Refused(post, 501, ErrorWithDetail("unimplemented", "\x08\x04")); });
  const auto session = harness.client.OpenSession();
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().error_class, ErrorClass::kUnsupported);
  EXPECT_EQ(session.error().not_dispatched, NotDispatched::kUnsupported);
  EXPECT_EQ(MethodsOf(harness.sent), "OpenSession");
}

}  // namespace
}  // namespace plimsoll::client
