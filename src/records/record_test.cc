#include "records/record.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "records/vectors_for_test.h"

namespace plimsoll::records {
namespace {

run::Draft Snippet(std::string code) {
  run::Draft draft;
  draft.protocol = 5;
  draft.payload = run::JavaScript{std::move(code), ""};
  return draft;
}

run::Draft ProjectOf(run::Project project) {
  run::Draft draft;
  draft.protocol = 5;
  draft.payload = std::move(project);
  return draft;
}

run::Project FilesOf(std::vector<run::File> files) {
  run::Project project;
  project.files = std::move(files);
  return project;
}

run::Project StepsOf(std::vector<std::string> steps) {
  run::Project project;
  project.steps = std::move(steps);
  return project;
}

run::JavaScriptResult Printed(std::string bytes) {
  run::JavaScriptResult result;
  result.stdout_bytes = std::move(bytes);
  return result;
}

run::ModuleResult OneRow(std::vector<double> outputs) {
  run::ModuleResult result;
  result.runs.push_back({3, std::move(outputs)});
  return result;
}

run::StepResult Step(std::string command, std::string output) {
  run::StepResult step;
  step.command = std::move(command);
  step.stdout_bytes = std::move(output);
  return step;
}

run::Report SnippetReport() {
  run::Report report;
  report.provider = "wasm";
  report.tier = isolation::Tier::kProcess;
  report.environment = "quickjs-wasm:sha256:00";
  report.result = Printed("42\n");
  return report;
}

TEST(RequestDigest, R1_EqualsEveryGoldenVector) {
  for (const auto& vector : VectorsOf("request")) {
    EXPECT_EQ(RequestDigest(DraftFromVector(vector["input"]["request"])),
              vector["expected"]["sha256"].get<std::string>())
        << vector["id"];
  }
}

TEST(ResultDigest, R2_EqualsEveryGoldenVector) {
  for (const auto& vector : VectorsOf("result")) {
    EXPECT_EQ(ResultDigest(ResultFromVector(vector["input"]["response"])),
              vector["expected"]["sha256"].get<std::string>())
        << vector["id"];
  }
}

TEST(ResultDigest, R2_LeavesDurationsOut) {
  run::ProjectResult quick;
  quick.steps.push_back(Step("true", ""));
  run::ProjectResult slow = quick;
  slow.steps[0].duration = std::chrono::milliseconds(900);
  EXPECT_EQ(ResultDigest(quick), ResultDigest(slow));
}

TEST(RecordDigest, R3_EqualsEveryGoldenVectorOfVersions1To4) {
  for (const auto& vector : VectorsOf("record")) {
    EXPECT_EQ(RecordDigest(RecordFromVector(vector["input"]["record"])),
              vector["expected"]["sha256"].get<std::string>())
        << vector["id"];
  }
}

TEST(RecordDigest, DoesNotCoverItself) {
  Record record{.version = 4, .provider = "wasm"};
  const std::string digest = RecordDigest(record);
  record.record_sha256 = digest;
  EXPECT_EQ(RecordDigest(record), digest);
}

TEST(UncoveredField, NamesWhatAnOldVersionDoesNotProtect) {
  EXPECT_EQ(UncoveredField({.version = 1, .software_identity = "x"}), "software_identity");
  EXPECT_EQ(UncoveredField({.version = 1, .software_rule_id = "x"}), "software_rule_id");
  EXPECT_EQ(UncoveredField({.version = 2, .unanswered = "internal"}), "unanswered");
  EXPECT_EQ(UncoveredField({.version = 3, .instance = "a:b"}), "instance");
  EXPECT_EQ(UncoveredField({.version = 1, .provider = "docker", .sequence = 2}), "");
  EXPECT_EQ(UncoveredField({.version = 4, .software_identity = "x", .unanswered = "internal", .instance = "a:b"}), "");
}

TEST(SoftwareRuleId, R4_EqualsEveryGoldenVector) {
  for (const auto& vector : VectorsOf("rule_id")) {
    const run::SoftwareRuleDraft rule{vector["input"]["mode"], vector["input"]["identities"]};
    EXPECT_EQ(SoftwareRuleId(rule), vector["expected"]["rule_id"].get<std::string>()) << vector["id"];
  }
  EXPECT_EQ(SoftwareRuleId({}), "");
}

TEST(Fingerprint, R4_EqualsEveryGoldenVector) {
  for (const auto& vector : VectorsOf("fingerprint")) {
    const std::string session_id = vector["input"]["session_id"];
    EXPECT_EQ(Fingerprint(session_id), vector["expected"]["sha256"].get<std::string>()) << vector["id"];
  }
}

TEST(IsInstance, R4_EqualsEveryGoldenVector) {
  for (const auto& vector : VectorsOf("instance_form")) {
    const std::string instance = vector["input"]["instance"];
    EXPECT_EQ(IsInstance(instance), vector["expected"]["valid"].get<bool>()) << vector["id"];
  }
}

TEST(RequestDigest, R5_IsTheSameForAnotherTraceId) {
  run::Draft traced = Snippet("1");
  traced.trace_id = "job-1";
  EXPECT_EQ(RequestDigest(Snippet("1")), RequestDigest(traced));
}

TEST(RequestDigest, R5_DiffersInEachCoveredField) {
  const std::string plain = RequestDigest(Snippet("1"));
  EXPECT_NE(RequestDigest(Snippet("2")), plain);
  run::Draft other = Snippet("1");
  other.protocol = 4;
  EXPECT_NE(RequestDigest(other), plain);
  other = Snippet("1");
  other.minimum_isolation = "process";
  EXPECT_NE(RequestDigest(other), plain);
  other = Snippet("1");
  other.timeout_ms = 1;
  EXPECT_NE(RequestDigest(other), plain);
  other = Snippet("1");
  other.software_rule = {"exact", {"a"}};
  EXPECT_NE(RequestDigest(other), plain);
  other = Snippet("1");
  std::get<run::JavaScript>(other.payload).grant_profile = "inventory";
  EXPECT_NE(RequestDigest(other), plain);
}

TEST(RequestDigest, R6_ChangesWhenAByteMovesFromAPathIntoItsContent) {
  EXPECT_NE(RequestDigest(ProjectOf(FilesOf({{"ab", "c"}}))), RequestDigest(ProjectOf(FilesOf({{"a", "bc"}}))));
}

TEST(RequestDigest, R6_ChangesWhenTwoStepsAreJoined) {
  EXPECT_NE(RequestDigest(ProjectOf(StepsOf({"ls", "pwd"}))), RequestDigest(ProjectOf(StepsOf({"lspwd"}))));
}

TEST(MakeRecordable, R7_TurnsEveryNanIntoTheOneQuietNan) {
  const auto signalling = std::bit_cast<double>(std::uint64_t{0xfff0000000000001});
  const auto payload = std::bit_cast<double>(std::uint64_t{0x7ff8dead00000000});
  const auto quiet = std::bit_cast<double>(std::uint64_t{0x7ff8000000000000});
  run::Report report = SnippetReport();
  report.result = OneRow({signalling, -0.0, payload});
  MakeRecordable(report);
  const auto& outputs = std::get<run::ModuleResult>(report.result).runs[0].outputs;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(outputs[0]), 0x7ff8000000000000);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(outputs[1]), 0x8000000000000000);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(outputs[2]), 0x7ff8000000000000);
  const run::Result sent = OneRow({quiet, -0.0, quiet});
  EXPECT_EQ(ResultDigest(report.result), ResultDigest(sent));
}

TEST(MakeRecordable, R8_LeavesOutputAloneAndRepairsTheOutcomeDetail) {
  const std::string raw("\xff\x00\xfe", 3);
  run::Report report = SnippetReport();
  run::ProjectResult project;
  project.steps.push_back(Step("a\xff", raw));
  project.artifacts.push_back({"b\xff", raw});
  project.outcome_detail = "c\xff";
  report.result = project;
  MakeRecordable(report);
  const auto& made = std::get<run::ProjectResult>(report.result);
  EXPECT_EQ(made.steps[0].stdout_bytes, raw);
  EXPECT_EQ(made.artifacts[0].content, raw);
  EXPECT_EQ(made.steps[0].command, "a\xef\xbf\xbd");
  EXPECT_EQ(made.artifacts[0].path, "b\xef\xbf\xbd");
  EXPECT_EQ(made.outcome_detail, "c\xef\xbf\xbd");
}

TEST(ResultDigest, R8_CoversRawOutputBytesUnchanged) {
  const std::string raw("\xff\x00\xfe", 3);
  EXPECT_NE(ResultDigest(Printed(raw)), ResultDigest(Printed("\xff")));
}

TEST(Stamp, R9_HashesATimeoutOfZeroAsZero) {
  // The vector `req-js-minimal` states no timeout; a daemon that applied its default would hash another number.
  run::Draft draft = Snippet("console.log(6*7)\n");
  draft.protocol = 4;
  EXPECT_EQ(Stamp(draft, SnippetReport(), "", 1, 2).request_sha256,
            "a064429fbf49979ca908e15fbfcd732725977381ca171dc3bb7b215d9e7a2dc0");
}

TEST(Stamp, StatesTheEvidenceOfTheReportAndItsOwnDigest) {
  run::Draft draft = Snippet("1");
  draft.software_rule = {"exact", {"oci-manifest:a"}};
  run::Report report = SnippetReport();
  report.software_identity = "oci-manifest:a";
  report.instance = "a:b";
  const Record record = Stamp(draft, report, "policy:sha256:00", 10, 25);
  EXPECT_EQ(record, (Record{.version = 4,
                            .request_sha256 = RequestDigest(draft),
                            .result_sha256 = ResultDigest(report.result),
                            .provider = "wasm",
                            .isolation = "process",
                            .environment = "quickjs-wasm:sha256:00",
                            .policy = "policy:sha256:00",
                            .started_unix_ms = 10,
                            .ended_unix_ms = 25,
                            .record_sha256 = RecordDigest(record),
                            .software_identity = "oci-manifest:a",
                            .software_rule_id = "exact:oci-manifest:a",
                            .instance = "a:b"}));
}

}  // namespace
}  // namespace plimsoll::records
