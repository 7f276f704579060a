#include <gtest/gtest.h>

#include "clients/cpp/fake_daemon_for_test.h"
#include "records/probes.h"

namespace plimsoll::client {
namespace {

using Json = nlohmann::json;

isolation::ProbeReport Report() {
  using isolation::Probe;
  return {.provider = "docker",
          .tier = isolation::Tier::kKernel,
          .environment = "docker-image:sha256:00",
          .policy = "",
          .daemon_version = "0.2.0",
          .runtime_version = "runsc 1",
          .started_unix_ms = 1000,
          .ended_unix_ms = 2000,
          .probes = {{"project/pids", Probe::Outcome::kSkip, "forked past the limit", "not under runsc", 1500},
                     {"snippet/root-write", Probe::Outcome::kPass, "wrote to /", "refused with EROFS", 1400}}};
}

// What a daemon that tells the truth answers.
Json HonestReport() {
  const isolation::ProbeReport report = Report();
  const records::Probes probes = records::ProbesOf(report);
  Json out = {{"report",
               {{"provider", probes.provider},
                {"isolation", probes.isolation},
                {"environment", probes.environment},
                {"daemonVersion", probes.daemon_version},
                {"runtimeVersion", probes.runtime_version},
                {"startedUnixMs", std::to_string(probes.started_unix_ms)},
                {"endedUnixMs", std::to_string(probes.ended_unix_ms)},
                {"probes", Json::array()},
                {"sha256", records::ProbesDigest(probes)}}},
              {"details", Json::array()}};
  for (std::size_t i = 0; i < probes.probes.size(); ++i) {
    const records::ProbeLine& line = probes.probes[i];
    out["report"]["probes"].push_back(
        {{"probe", line.probe}, {"outcome", line.outcome}, {"detailSha256", line.detail_sha256}});
    out["details"].push_back({{"probe", report.probes[i].id},
                              {"tried", report.probes[i].tried},
                              {"happened", report.probes[i].detail},
                              {"atUnixMs", std::to_string(report.probes[i].at_unix_ms)}});
  }
  return out;
}

// The report sealed again after a test has changed it: the lie is then in what its digest covers.
void Seal(Json& answer) {
  Json& report = answer["report"];
  records::Probes probes{.provider = report["provider"],
                         .isolation = report["isolation"],
                         .environment = report["environment"],
                         .policy = "",
                         .daemon_version = report["daemonVersion"],
                         .runtime_version = report["runtimeVersion"],
                         .started_unix_ms = 1000,
                         .ended_unix_ms = 2000,
                         .probes = {}};
  for (const Json& line : report["probes"]) {
    probes.probes.push_back({line["probe"], line["outcome"], line["detailSha256"]});
  }
  report["sha256"] = records::ProbesDigest(probes);
}

Reply Answering(Json body) {
  return [body = std::move(body)](const Post& post) { return Ok(post, body); };
}

TEST(ProbeReport, PutsEachTextBesideItsProbe) {
  Harness harness(Answering(HonestReport()));
  const auto report = harness.client.ProbeReport();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->provider, "docker");
  EXPECT_EQ(report->isolation, "kernel");
  EXPECT_EQ(report->ended_unix_ms, 2000);
  EXPECT_EQ(report->sha256.size(), 64U);
  ASSERT_EQ(report->probes.size(), 2U);
  EXPECT_EQ(report->probes[1].probe, "snippet/root-write");
  EXPECT_EQ(report->probes[1].outcome, "pass");
  EXPECT_EQ(report->probes[1].tried, "wrote to /");
  EXPECT_EQ(report->probes[1].happened, "refused with EROFS");
  EXPECT_EQ(report->probes[1].at_unix_ms, 1400);
  EXPECT_EQ(harness.sent[0].target, "/plimsoll.x1.Evidence/ProbeReport");
  EXPECT_EQ(harness.sent[0].body, "{}");
}

TEST(ProbeReport, RefusesEveryByteThatWasChanged) {
  const std::function<void(Json&)> lies[] = {[](Json& a) { a["report"]["provider"] = "wasm"; },
                                             [](Json& a) { a["report"]["isolation"] = "vm"; },
                                             [](Json& a) { a["report"]["environment"] = "docker-image:sha256:01"; },
                                             [](Json& a) { a["report"]["policy"] = "x"; },
                                             [](Json& a) { a["report"]["daemonVersion"] = "9"; },
                                             [](Json& a) { a["report"]["runtimeVersion"] = "runc 1"; },
                                             [](Json& a) { a["report"]["startedUnixMs"] = "999"; },
                                             [](Json& a) { a["report"]["endedUnixMs"] = "2001"; },
                                             [](Json& a) { a["report"]["probes"][0]["outcome"] = "pass"; },
                                             [](Json& a) { a["report"]["probes"].erase(0); },
                                             [](Json& a) { a["report"]["sha256"] = std::string(64, '0'); },
                                             [](Json& a) { a["details"][1]["happened"] = "it was written"; },
                                             [](Json& a) { a["details"].erase(0); },
                                             [](Json& a) { std::swap(a["details"][0], a["details"][1]); },
                                             [](Json& a) { a.erase("report"); },
                                             [](Json& a) {
                                               std::swap(a["report"]["probes"][0], a["report"]["probes"][1]);
                                               std::swap(a["details"][0], a["details"][1]);
                                               Seal(a);
                                             },
                                             [](Json& a) {
                                               a["report"]["probes"][1] = a["report"]["probes"][0];
                                               a["details"][1] = a["details"][0];
                                               Seal(a);
                                             },
                                             [](Json& a) {
                                               a["report"]["probes"][0]["outcome"] = "passed";
                                               Seal(a);
                                             }};
  for (const auto& lie : lies) {
    Json answer = HonestReport();
    lie(answer);
    const auto report = Harness(Answering(answer)).client.ProbeReport();
    ASSERT_FALSE(report) << &lie - lies;
    EXPECT_EQ(report.error().error_class, ErrorClass::kEvidenceMismatch) << &lie - lies << report.error().message;
    EXPECT_TRUE(IsDataLoss(report.error().error_class));
  }
}

TEST(ProbeReport, AsksForADigestAndTakesNoOther) {
  Json answer = HonestReport();
  const std::string digest = answer["report"]["sha256"];
  Harness harness(Answering(answer));
  EXPECT_TRUE(harness.client.ProbeReport(digest));
  EXPECT_EQ(Json::parse(harness.sent[0].body), (Json{{"sha256", digest}}));
  const auto other = harness.client.ProbeReport(std::string(64, 'f'));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().error_class, ErrorClass::kEvidenceMismatch);
  EXPECT_FALSE(harness.client.ProbeReport("\xff"));
}

TEST(ProbeReport, KeepsTheReasonOfADaemonThatHasNone) {
  const auto report = Harness([](const Post& post) {
                        return Refused(post, 501, ErrorWithDetail("unimplemented", "\x08\x04"));
                      }).client.ProbeReport();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().error_class, ErrorClass::kUnsupported);
  EXPECT_EQ(report.error().not_dispatched, NotDispatched::kUnsupported);
}

// What a daemon without plimsoll.x1 can answer to its calls, and whether it is bound to them.
Answer Bare404(const Post& post, Fields marks) {
  Fields fields = {{"content-type", "text/plain"}};
  fields.insert(fields.end(), marks.begin(), marks.end());
  return {.status = 404, .fields = fields, .body = "404 page not found: " + post.target};
}
std::pair<std::string, std::string> IdOf(const Post& post) {
  return {"plimsoll-request-id", FieldOf(post, "Plimsoll-Request-Id")};
}

TEST(X1, C39_ItsCallsAreARefusalOfADaemonWithoutThePackage) {
  const Reply daemons[] = {
      [](const Post& post) { return Bare404(post, {IdOf(post), {"plimsoll-not-dispatched", "unsupported"}}); },
      [](const Post& post) { return Bare404(post, {IdOf(post)}); },
      [](const Post& post) { return Refused(post, 501, ErrorWithDetail("unimplemented", "\x08\x04")); },
      [](const Post& post) { return Refused(post, 404, {{"code", "unimplemented"}}); }};
  for (const Reply& daemon : daemons) {
    const auto refused = [&](const auto& outcome) {
      ASSERT_FALSE(outcome) << &daemon - daemons;
      EXPECT_EQ(outcome.error().error_class, ErrorClass::kUnsupported) << &daemon - daemons;
      EXPECT_EQ(outcome.error().code, Code::kUnimplemented) << &daemon - daemons;
      EXPECT_EQ(outcome.error().not_dispatched, NotDispatched::kUnsupported) << &daemon - daemons;
    };
    refused(Harness(daemon).client.Capabilities());
    refused(Harness(daemon).client.ProbeReport());
  }
}

TEST(X1, C39_MarksNoOtherErrorAndNoneThatIsNotBoundOrOfARun) {
  const auto broken =
      Harness([](const Post& post) { return Refused(post, 503, {{"code", "unavailable"}}); }).client.Capabilities();
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().not_dispatched, std::nullopt);
  const auto unbound = Harness([](const Post& post) { return Bare404(post, {}); }).client.Capabilities();
  ASSERT_FALSE(unbound);
  EXPECT_EQ(unbound.error().error_class, ErrorClass::kUnsupported);
  EXPECT_EQ(unbound.error().not_dispatched, std::nullopt);
  const auto run = Harness([](const Post& post) { return Bare404(post, {IdOf(post)}); }).client.RunJavaScript("1");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().not_dispatched, std::nullopt);
}

TEST(Capabilities, ListsWhatTheDaemonSays) {
  Harness harness(Answering({{"procedures", {"/a/B", "/c/D"}}, {"options", {"o"}}, {"checkpointLevels", {"files"}}}));
  const auto list = harness.client.Capabilities();
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->procedures, (std::vector<std::string>{"/a/B", "/c/D"}));
  EXPECT_EQ(list->options, std::vector<std::string>{"o"});
  EXPECT_EQ(list->checkpoint_levels, std::vector<std::string>{"files"});
  EXPECT_EQ(harness.sent[0].target, "/plimsoll.x1.Info/Capabilities");
  EXPECT_FALSE(Harness(Answering({{"procedures", "x"}})).client.Capabilities());
}

// clients-and-docs.md 1.3 on a project: what the daemon answers to one is checked as every answer is.
Reply AnsweringProject(std::function<void(Json&)> lie) {
  return [lie = std::move(lie)](const Post& post) {
    Json answer = HonestProject(post.body);
    lie(answer);
    return Ok(post, answer);
  };
}

const Project kProject = {.files = {{"a.txt", "x"}}, .steps = {"cat a.txt", "false"}, .artifacts = {"a.txt"}};

TEST(Client, RunsAProjectAndReturnsItsCheckedRecord) {
  const auto result = Harness(AnsweringProject([](Json&) {})).client.RunProject(kProject);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->outcome, Outcome::kCompleted);
  ASSERT_EQ(result->steps.size(), 2U);
  EXPECT_EQ(result->steps[0].stdout_bytes, "x");
  EXPECT_EQ(result->steps[1].exit_code, 1);
  ASSERT_EQ(result->artifacts.size(), 1U);
  EXPECT_EQ(result->artifacts[0].content, std::string("\0x", 2));
  EXPECT_TRUE(result->evidence.record);
}

TEST(Client, C10_FindsEachChangedByteOfAProject) {
  const std::function<void(Json&)> lies[] = {[](Json& a) { a["project"]["steps"][0]["stdout"] = "eQ=="; },
                                             [](Json& a) { a["project"]["steps"][0]["stderr"] = "eQ=="; },
                                             [](Json& a) { a["project"]["steps"][1]["exitCode"] = 0; },
                                             [](Json& a) { a["project"]["steps"][1]["timedOut"] = true; },
                                             [](Json& a) { a["project"]["steps"][0]["stdoutTruncated"] = true; },
                                             [](Json& a) { a["project"]["steps"][0]["command"] = "true"; },
                                             [](Json& a) { a["project"]["steps"].erase(1); },
                                             [](Json& a) { a["project"]["artifacts"][0]["content"] = "eQ=="; },
                                             [](Json& a) { a["project"]["artifacts"][0]["path"] = "b.txt"; },
                                             [](Json& a) { a["project"]["artifactsTruncated"] = true; },
                                             [](Json& a) { a["project"]["outcome"] = "PROJECT_OUTCOME_TIMED_OUT"; },
                                             [](Json& a) { a["project"]["outcomeDetail"] = "x"; }};
  for (const auto& lie : lies) {
    const auto result = Harness(AnsweringProject(lie)).client.RunProject(kProject);
    ASSERT_FALSE(result) << &lie - lies;
    EXPECT_EQ(result.error().error_class, ErrorClass::kRecordMismatch) << &lie - lies;
    EXPECT_EQ(result.error().not_dispatched, std::nullopt);
  }
}

TEST(Client, C12_RefusesASnippetsResultForAProject) {
  const auto result = Harness(Honest()).client.RunProject(kProject);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error_class, ErrorClass::kResultKindMismatch);
}

}  // namespace
}  // namespace plimsoll::client
