#include "plimsoll/client.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "clients/cpp/fake_daemon_for_test.h"
#include "clients/cpp/prepare.h"

namespace plimsoll::client {
namespace {

using Json = nlohmann::json;

const RunOptions kAtKernel = {.minimum_isolation = "kernel", .software = SoftwareRule::Exact("oci-manifest:a")};

Error RunAndFail(const Harness& harness, const RunOptions& options = kAtKernel) {
  auto result = harness.client.RunJavaScript("console.log(6*7)\n", options);
  EXPECT_FALSE(result);
  return result ? Error{} : result.error();
}

TEST(Client, RunsASnippetAndReturnsItsCheckedRecord) {
  Harness harness(Honest());
  const auto result = harness.client.RunJavaScript("console.log(6*7)\n", kAtKernel);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->stdout_bytes, "42\n");
  EXPECT_EQ(result->exit_code, 0);
  EXPECT_EQ(result->evidence.provider, "docker");
  EXPECT_EQ(result->evidence.isolation, "kernel");
  EXPECT_EQ(result->evidence.duration, std::chrono::milliseconds(95));
  ASSERT_TRUE(result->evidence.record);
  EXPECT_EQ(result->evidence.record->version, 4U);
  EXPECT_EQ(harness.sent.size(), 1U);
}

TEST(Client, C3_RefusesATokenThatNoHeaderCanCarryAndNeverShowsIt) {
  for (const char* token : {"hunter\n2", "hunter\xc3\xa9", "hunter 2", "hunter\x7f"}) {
    const auto client = Client::Create({.base_url = "http://localhost", .token = token});
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().error_class, ErrorClass::kInvalidOption);
    EXPECT_EQ(client.error().message.find("hunter"), std::string::npos);
  }
}

TEST(Client, RefusesATimeoutOrProtocolItCannotUse) {
  for (const double timeout : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    const auto client = Client::Create({.base_url = "http://localhost", .request_timeout = Milliseconds(timeout)});
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().error_class, ErrorClass::kInvalidOption);
  }
  EXPECT_FALSE(Client::Create({.base_url = "http://localhost", .protocol = 3}));
  EXPECT_FALSE(Client::Create({.base_url = "http://localhost", .protocol = 6}));
}

TEST(Client, C4_RefusesEachFieldOutOfRangeAndSendsNothing) {
  Harness harness(Honest());
  const auto refused = [&](const auto& result, std::string_view what) {
    ASSERT_FALSE(result) << what;
    EXPECT_EQ(result.error().error_class, ErrorClass::kInvalidRequest) << what;
    EXPECT_EQ(result.error().code, Code::kInvalidArgument) << what;
    EXPECT_EQ(result.error().not_dispatched, NotDispatched::kRequest) << what;
  };
  const Client& client = harness.client;
  refused(client.RunJavaScript(""), "empty code");
  refused(client.RunJavaScript(std::string(262'145, 'x')), "long code");
  refused(client.RunJavaScript(std::string("a\0b", 3)), "NUL");
  refused(client.RunJavaScript("\xff"), "not UTF-8");
  refused(client.RunJavaScript("1", {.minimum_isolation = "none"}), "floor none");
  refused(client.RunJavaScript("1", {.minimum_isolation = "Kernel"}), "floor in upper case");
  refused(client.RunJavaScript("1", {.trace_id = "a/b"}), "trace id");
  refused(client.RunJavaScript("1", {.trace_id = std::string(65, 'a')}), "long trace id");
  refused(client.RunJavaScript("1", {.grant_profile = std::string(129, 'a')}), "grant profile");
  refused(client.RunJavaScript("1", {.software = {"exact", {"a", "b"}}}), "two exact identities");
  refused(client.RunJavaScript("1", {.software = {"approved", {"a", "a"}}}), "identity twice");
  refused(client.RunJavaScript("1", {.software = {"approved", {"a b"}}}), "space in an identity");
  refused(client.RunJavaScript("1", {.timeout = Milliseconds(std::nan(""))}), "timeout");
  refused(client.RunProject({}), "no steps");
  refused(client.RunProject({.steps = std::vector<std::string>(21, "a")}), "steps");
  refused(client.RunProject({.files = {{"../a", ""}}, .steps = {"a"}}), "path");
  refused(client.RunProject({.files = {{"a", "\xff"}}, .steps = {"a"}}), "content not UTF-8");
  refused(client.RunProject({.files = {{"a", ""}, {"a", ""}}, .steps = {"a"}}), "path twice");
  refused(client.RunProject({.steps = {"a"}, .artifacts = {"/a"}}), "artifact");
  refused(client.RunModule({.model = "m", .rows = {{1, 2}, {1}}, .end_time = 1, .step = 1}), "unequal rows");
  refused(client.RunModule({.model = "m", .rows = {{std::nan("")}}, .end_time = 1, .step = 1}), "NaN");
  refused(client.RunModule({.model = "m", .rows = {{1}}, .end_time = 1, .step = 1}, {.grant_profile = "g"}), "grant");
  EXPECT_TRUE(harness.sent.empty());
}

TEST(Client, C5_SendsEveryHeaderAndAFreshRequestIdEachTime) {
  Harness harness(Honest(), {.base_url = "http://localhost/base/", .token = "secret"});
  std::set<std::string> ids;
  for (int i = 0; i < 10'000; ++i) {
    harness.sent.clear();
    ASSERT_TRUE(harness.client.RunJavaScript("1"));
    ids.insert(FieldOf(harness.sent[0], "Plimsoll-Request-Id"));
  }
  EXPECT_EQ(ids.size(), 10'000U);
  const Post& post = harness.sent[0];
  EXPECT_EQ(post.target, "/base/plimsoll.v1.SandboxService/Run");
  EXPECT_EQ(FieldOf(post, "Content-Type"), "application/json");
  EXPECT_EQ(FieldOf(post, "Connect-Protocol-Version"), "1");
  EXPECT_EQ(FieldOf(post, "Accept-Encoding"), "identity");
  EXPECT_EQ(FieldOf(post, "User-Agent").find("plimsoll-client-cpp/"), 0U);
  EXPECT_EQ(FieldOf(post, "Authorization"), "Bearer secret");
  EXPECT_EQ(FieldOf(post, "Plimsoll-Strict"), "1");
  EXPECT_TRUE(std::ranges::all_of(ids, [](const std::string& id) {
    return id.size() == 32 && id.find_first_not_of("0123456789abcdef") == std::string::npos;
  }));
}

TEST(Client, SendsNoAuthorizationWithoutAToken) {
  Harness harness(Honest());
  ASSERT_TRUE(harness.client.RunJavaScript("1"));
  for (const auto& [name, value] : harness.sent[0].fields) {
    EXPECT_NE(name, "Authorization");
  }
}

// An answer whose ID was changed by `change`, in the form of a list of values.
Reply WithIds(Reply reply, std::function<std::vector<std::string>(const std::string&)> change) {
  return [reply = std::move(reply), change = std::move(change)](const Post& post) {
    auto answer = std::get<Answer>(reply(post));
    std::erase_if(answer.fields, [](const auto& field) { return field.first == "plimsoll-request-id"; });
    for (const std::string& id : change(FieldOf(post, "Plimsoll-Request-Id"))) {
      answer.fields.emplace_back("Plimsoll-Request-Id", id);
    }
    return answer;
  };
}

TEST(Client, C6_BelievesNoAnswerThatIsNotBound) {
  const Reply refusal = [](const Post& post) {
    return Refused(post, 400, ErrorWithDetail("failed_precondition", "\x08\x04"));
  };
  const std::vector<std::function<std::vector<std::string>(const std::string&)>> changes = {
      [](const std::string&) { return std::vector<std::string>{}; },
      [](const std::string&) { return std::vector<std::string>{std::string(32, '0')}; },
      [](const std::string& id) { return std::vector<std::string>{id, id}; },
      [](const std::string& id) { return std::vector<std::string>{id + ", " + id}; }};
  for (const auto& change : changes) {
    const Error success = RunAndFail(Harness(WithIds(Honest(), change)));
    EXPECT_EQ(success.error_class, ErrorClass::kAnswerNotBound);
    EXPECT_EQ(success.code, Code::kDataLoss);
    EXPECT_EQ(success.not_dispatched, std::nullopt);
    EXPECT_TRUE(success.answer_not_bound);
    EXPECT_FALSE(success.result);

    // R24, W49: neither the mark nor anything else of it counts.
    const Error error = RunAndFail(Harness(WithIds(refusal, change)));
    EXPECT_EQ(error.code, Code::kFailedPrecondition);
    EXPECT_EQ(error.not_dispatched, std::nullopt);
    EXPECT_TRUE(error.answer_not_bound);
  }
}

TEST(Client, R24_IgnoresTheMarkOfAnAnswerWithoutItsRequestId) {
  const Reply refusal = [](const Post& post) {
    return Refused(post, 400, ErrorWithDetail("failed_precondition", "\x08\x04"));
  };
  const Error error =
      RunAndFail(Harness(WithIds(refusal, [](const std::string&) { return std::vector<std::string>{}; })));
  EXPECT_EQ(error.not_dispatched, std::nullopt);
}

TEST(Client, C7_KeepsTheReasonOfEveryMarkedRefusal) {
  for (int reason = 1; reason <= 7; ++reason) {
    const std::string detail = {'\x08', static_cast<char>(reason)};
    const Error error =
        RunAndFail(Harness([&](const Post& post) { return Refused(post, 400, ErrorWithDetail("internal", detail)); }));
    EXPECT_EQ(error.not_dispatched, static_cast<NotDispatched>(reason - 1));
    EXPECT_EQ(error.http_status, 400);
    EXPECT_EQ(error.message, "refused");
  }
}

Reply HeaderRefusal(std::string value) {
  return [value = std::move(value)](const Post& post) {
    Answer answer = Refused(post, 400, {{"code", "invalid_argument"}});
    answer.fields.emplace_back("Plimsoll-Not-Dispatched", value);
    return answer;
  };
}

TEST(Client, C8_ReadsAMarkThatIsInTheHeaderOnly) {
  EXPECT_EQ(RunAndFail(Harness(HeaderRefusal("request"))).not_dispatched, NotDispatched::kRequest);
  EXPECT_EQ(RunAndFail(Harness(HeaderRefusal("weather"))).not_dispatched, std::nullopt);
  EXPECT_EQ(RunAndFail(Harness(HeaderRefusal("unknown"))).not_dispatched, std::nullopt);
}

TEST(Client, C9_AnUndecodableDetailMarksNothing) {
  const Error error =
      RunAndFail(Harness([](const Post& post) { return Refused(post, 500, ErrorWithDetail("internal", "\x08")); }));
  EXPECT_EQ(error.not_dispatched, std::nullopt);
}

TEST(Client, C10_FindsEachChangedByteAndAttachesTheResultWithoutARecord) {
  const std::vector<std::function<void(Json&)>> lies = {
      [](Json& a) { a["javascript"]["stdout"] = "NDMK"; },
      [](Json& a) { a["environment"] = "docker-image:sha256:01"; },
      [](Json& a) { a["instance"] = "docker-container:02"; },
      [](Json& a) { a["softwareIdentity"] = "oci-manifest:b"; },
      [](Json& a) { a["record"]["startedUnixMs"] = "1001"; },
      [](Json& a) { a["record"]["recordSha256"] = std::string(64, '0'); },
      [](Json& a) {
        a["record"]["requestSha256"] = std::string(64, '0');
        a = Sealed(a);
      }};
  for (const auto& lie : lies) {
    const Error error = RunAndFail(Harness(Lying(lie)));
    EXPECT_EQ(error.error_class, ErrorClass::kRecordMismatch) << error.message;
    EXPECT_EQ(error.code, Code::kDataLoss);
    EXPECT_EQ(error.not_dispatched, std::nullopt);
    ASSERT_TRUE(error.result);
    EXPECT_FALSE(std::get<JavaScriptResult>(*error.result).evidence.record);
  }
}

TEST(Client, C11_NamesAMissingRecordAndARecordOfAnotherVersion) {
  const auto with_version = [](int version) {
    return Lying([version](Json& a) {
      a["record"]["version"] = version;
      a = Sealed(a);
    });
  };
  EXPECT_EQ(RunAndFail(Harness(Lying([](Json& a) { a.erase("record"); }))).error_class, ErrorClass::kNoRecord);
  const Error newer = RunAndFail(Harness(with_version(5)));
  EXPECT_EQ(newer.error_class, ErrorClass::kRecordVersion);
  EXPECT_NE(newer.message.find("newer"), std::string::npos);
  const Error older = RunAndFail(Harness(with_version(3)));
  EXPECT_EQ(older.error_class, ErrorClass::kRecordVersion);
  EXPECT_NE(older.message.find("requires"), std::string::npos);
}

TEST(Client, R12_AttachesTheResultOfAnAnswerWithoutARecordAndSendsOnce) {
  Harness harness(Lying([](Json& a) { a.erase("record"); }));
  const Error error = RunAndFail(harness);
  EXPECT_EQ(error.error_class, ErrorClass::kNoRecord);
  EXPECT_TRUE(IsDataLoss(error.error_class));
  ASSERT_TRUE(error.result);
  EXPECT_EQ(std::get<JavaScriptResult>(*error.result).stdout_bytes, "42\n");
  EXPECT_EQ(harness.sent.size(), 1U);
}

TEST(Client, R13_CallsAnotherVersionAVersionErrorAndNotForged) {
  for (const int version : {3, 5}) {
    const Error error = RunAndFail(Harness(Lying([version](Json& a) { a["record"]["version"] = version; })));
    EXPECT_EQ(error.error_class, ErrorClass::kRecordVersion);
  }
}

TEST(Client, C12_RefusesAResultOfAnotherKindAndTwoResults) {
  const Error other = RunAndFail(Harness(Lying([](Json& a) {
    a.erase("javascript");
    a["project"] = {{"outcome", "PROJECT_OUTCOME_COMPLETED"}};
  })));
  EXPECT_EQ(other.error_class, ErrorClass::kResultKindMismatch);
  ASSERT_TRUE(other.result);
  EXPECT_FALSE(std::get<ProjectResult>(*other.result).evidence.record);
  const Error two = RunAndFail(Harness(Lying([](Json& a) { a["project"] = Json::object(); })));
  EXPECT_EQ(two.error_class, ErrorClass::kMalformedResponse);
}

TEST(Client, R14_ComparesTheKindBeforeTheRecord) {
  const Error error = RunAndFail(Harness(Lying([](Json& a) {
    a.erase("javascript");
    a.erase("record");
    a["cell"] = Json::object();
  })));
  EXPECT_EQ(error.error_class, ErrorClass::kResultKindMismatch);
}

TEST(Client, C13_RefusesATierThatDoesNotMeetTheFloor) {
  for (const char* tier : {"container", "none", "", "hypervisor", "unknown"}) {
    const Error error = RunAndFail(Harness(Lying([tier](Json& a) {
      a["isolation"] = tier;
      a["record"]["isolation"] = tier;
      a = Sealed(a);
    })));
    EXPECT_EQ(error.error_class, ErrorClass::kIsolationEvidenceMismatch) << tier;
    ASSERT_TRUE(error.result);
    EXPECT_TRUE(std::get<JavaScriptResult>(*error.result).evidence.record);
  }
}

TEST(Client, C14_RefusesASingleRunWithAPlaceInASession) {
  const Error error = RunAndFail(Harness(Lying([](Json& a) {
    a["record"]["sequence"] = "1";
    a = Sealed(a);
  })));
  EXPECT_EQ(error.error_class, ErrorClass::kRecordMismatch);
}

TEST(Client, C15_RefusesARecordThatEndsBeforeItStarts) {
  const Error error = RunAndFail(Harness(Lying([](Json& a) {
    a["record"]["endedUnixMs"] = "999";
    a = Sealed(a);
  })));
  EXPECT_EQ(error.error_class, ErrorClass::kRecordMismatch);
}

TEST(Client, W50_NeverMarksAnAnswerThatWasTamperedWith) {
  const Error error = RunAndFail(Harness([](const Post& post) {
    Json body = HonestRun(post.body);
    body["javascript"]["exitCode"] = 3;
    Answer answer = Ok(post, body);
    answer.fields.emplace_back("Plimsoll-Not-Dispatched", "request");
    return answer;
  }));
  EXPECT_EQ(error.error_class, ErrorClass::kRecordMismatch);
  EXPECT_EQ(error.not_dispatched, std::nullopt);
}

TEST(Client, ReadsRetryAfterOnACapacityRefusalOnly) {
  const auto refusal = [](std::string_view code, std::string_view detail, std::string value) {
    return [=](const Post& post) {
      Answer answer = Refused(post, 429, ErrorWithDetail(code, detail));
      answer.fields.emplace_back("Retry-After", value);
      return answer;
    };
  };
  const Error busy = RunAndFail(Harness(refusal("resource_exhausted", "\x08\x06", "7")));
  EXPECT_EQ(busy.error_class, ErrorClass::kAtCapacity);
  EXPECT_EQ(busy.retry_after, std::chrono::seconds(7));
  EXPECT_EQ(RunAndFail(Harness(refusal("resource_exhausted", "\x08\x06", "-7"))).retry_after, std::nullopt);
  EXPECT_EQ(RunAndFail(Harness(refusal("resource_exhausted", "\x08\x06", "soon"))).retry_after, std::nullopt);
  EXPECT_EQ(RunAndFail(Harness(refusal("unavailable", "\x08\x07", "7"))).retry_after, std::nullopt);
}

TEST(Client, CutsALongMessageBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += "\xc3\xa9";
  }
  text.insert(0, "x");
  const Error error = RunAndFail(
      Harness([&](const Post& post) { return Refused(post, 500, {{"code", "internal"}, {"message", text}}); }));
  EXPECT_EQ(error.message, text.substr(0, 4095));
}

Failure FailureOf(FailureKind kind, Progress progress) { return {kind, progress, "it failed"}; }

TEST(Client, MarksAFailureOnlyWhenNothingWasSent) {
  const auto fail = [](FailureKind kind, Progress progress) {
    return RunAndFail(Harness([=](const Post&) { return FailureOf(kind, progress); }));
  };
  const Error refused = fail(FailureKind::kUnreachable, Progress::kNothingSent);
  EXPECT_EQ(refused.error_class, ErrorClass::kTransport);
  EXPECT_EQ(refused.code, Code::kUnavailable);
  EXPECT_EQ(refused.not_dispatched, NotDispatched::kEnvironment);
  EXPECT_EQ(fail(FailureKind::kBroken, Progress::kMayHaveSent).not_dispatched, std::nullopt);
  const Error early = fail(FailureKind::kTimeout, Progress::kNothingSent);
  EXPECT_EQ(early.error_class, ErrorClass::kRequestTimeout);
  EXPECT_EQ(early.not_dispatched, NotDispatched::kEnvironment);
  const Error late = fail(FailureKind::kTimeout, Progress::kMayHaveSent);
  EXPECT_EQ(late.code, Code::kDeadlineExceeded);
  EXPECT_EQ(late.not_dispatched, std::nullopt);
  const Error canceled = fail(FailureKind::kCanceled, Progress::kNothingSent);
  EXPECT_EQ(canceled.error_class, ErrorClass::kRequestCanceled);
  EXPECT_EQ(canceled.not_dispatched, NotDispatched::kRequest);
  EXPECT_EQ(fail(FailureKind::kCanceled, Progress::kMayHaveSent).not_dispatched, std::nullopt);
  const Error large = fail(FailureKind::kTooLarge, Progress::kMayHaveSent);
  EXPECT_EQ(large.error_class, ErrorClass::kResponseTooLarge);
  EXPECT_EQ(large.code, Code::kResourceExhausted);
}

TEST(Client, C21_SendsNothingWhenItWasCanceledBefore) {
  Harness harness(Honest());
  std::stop_source source;
  source.request_stop();
  RunOptions options = kAtKernel;
  options.cancel = source.get_token();
  const Error error = RunAndFail(harness, options);
  EXPECT_EQ(error.error_class, ErrorClass::kRequestCanceled);
  EXPECT_EQ(error.code, Code::kCanceled);
  EXPECT_EQ(error.not_dispatched, NotDispatched::kRequest);
  EXPECT_TRUE(harness.sent.empty());
}

TEST(Client, C26_XJ1_SendsEachCallAtMostOnceWhateverHappens) {
  int which = 0;
  Harness harness([&](const Post& post) -> std::variant<Answer, Failure> {
    switch (which++ % 5) {
      case 0: return FailureOf(FailureKind::kBroken, Progress::kMayHaveSent);
      case 1: return FailureOf(FailureKind::kUnreachable, Progress::kNothingSent);
      case 2: return Refused(post, 503, {{"code", "unavailable"}});
      case 3: return Refused(post, 429, ErrorWithDetail("resource_exhausted", "\x08\x06"));
      default: return FailureOf(FailureKind::kTimeout, Progress::kMayHaveSent);
    }
  });
  for (int i = 0; i < 1000; ++i) {
    RunAndFail(harness);
  }
  EXPECT_EQ(harness.sent.size(), 1000U);
}

Reply Describing(int protocol) {
  return [protocol](const Post& post) {
    return Ok(post, {{"sandbox", "wasm"},
                     {"isolation", "process"},
                     {"protocol", protocol},
                     {"protocols", {4, 5}},
                     {"javascriptEnvironment", {{"identity", "quickjs-wasm:sha256:00"}, {"maxTimeoutMs", 30000}}}});
  };
}

TEST(Client, C38_StatesProtocol5UnlessToldToState4) {
  for (const std::uint32_t protocol : {4U, 5U}) {
    Harness harness(Honest(), {.protocol = protocol});
    const auto result = harness.client.RunJavaScript("1");
    ASSERT_TRUE(result);  // the record's request digest is over the number sent
    EXPECT_EQ(Json::parse(harness.sent[0].body)["protocol"], protocol);
    Harness describing(Describing(static_cast<int>(protocol)), {.protocol = protocol});
    const auto info = describing.client.Describe();
    ASSERT_TRUE(info);
    EXPECT_EQ(info->protocol, protocol);
    EXPECT_EQ(Json::parse(describing.sent[0].body), (Json{{"protocol", protocol}}));
  }
  EXPECT_EQ(ClientOptions().protocol, 5U);
}

TEST(Client, DescribesTheDaemon) {
  Harness harness(Describing(5));
  const auto info = harness.client.Describe();
  ASSERT_TRUE(info);
  EXPECT_EQ(info->provider, "wasm");
  EXPECT_EQ(info->isolation, "process");
  EXPECT_EQ(info->protocols, (std::vector<std::uint32_t>{4, 5}));
  ASSERT_TRUE(info->javascript_environment);
  EXPECT_EQ(info->javascript_environment->max_timeout, std::chrono::seconds(30));
  EXPECT_FALSE(info->project_environment);
  EXPECT_EQ(harness.sent[0].target, "/plimsoll.v1.SandboxService/Describe");
}

TEST(Client, NamesAProtocolMismatchWithWhatTheDaemonSaid) {
  const auto info = Harness(Describing(4)).client.Describe();
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().error_class, ErrorClass::kProtocolMismatch);
  ASSERT_TRUE(info.error().info);
  EXPECT_EQ(info.error().info->provider, "wasm");
}

TEST(TimeoutOnTheWire, NeverWraps) {
  EXPECT_EQ(TimeoutOnTheWire(Milliseconds(0)), 0);
  EXPECT_EQ(TimeoutOnTheWire(Milliseconds(-5)), 0);
  EXPECT_EQ(TimeoutOnTheWire(std::chrono::microseconds(1)), 1);
  EXPECT_EQ(TimeoutOnTheWire(std::chrono::seconds(2)), 2000);
  EXPECT_EQ(TimeoutOnTheWire(std::chrono::hours(1'000'000)), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(TimeoutOnTheWire(Milliseconds(std::numeric_limits<double>::infinity())),
            std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(TimeoutOnTheWire(Milliseconds(std::nan(""))), std::nullopt);
}

}  // namespace
}  // namespace plimsoll::client
