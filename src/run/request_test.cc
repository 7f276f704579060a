#include "run/request.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "run/check.h"
#include "run/limits.h"

namespace plimsoll::run {
namespace {

using base::Reason;
using base::Rule;

Draft Snippet(std::string code = "1") {
  Draft draft;
  draft.protocol = 4;
  draft.payload = JavaScript{std::move(code), ""};
  return draft;
}

Project TwoSteps() { return Project{{{"a/b.txt", "x"}}, {"true", ""}, {"..a"}, ""}; }

Draft WithProject(Project project) {
  Draft draft = Snippet();
  draft.payload = std::move(project);
  return draft;
}

Module Pendulum() { return Module{"pendulum", {{1.0, 2.0}, {3.0, 4.0}}, 10.0, 0.1}; }

Draft WithModule(Module module) {
  Draft draft = Snippet();
  draft.payload = std::move(module);
  return draft;
}

bool Passes(Draft draft) { return Request::Validate(std::move(draft), Request::Cells::kRefused).has_value(); }

// The refusal of a draft that must be refused; a draft that passes gives an empty message, which no expectation meets.
base::Refusal Refused(Draft draft) {
  const auto result = Request::Validate(std::move(draft), Request::Cells::kRefused);
  const base::Refusal* refusal = base::RefusalIn(result);
  return refusal == nullptr ? base::Refusal{Rule::kAtCapacity, ""} : *refusal;
}

TEST(Request, W5_RefusesAMissingProtocolBeforeAnythingElse) {
  Draft draft = Snippet("");
  draft.protocol = 0;
  EXPECT_EQ(Refused(draft).rule, Rule::kProtocolMissing);
}

TEST(Request, W6_RefusesANumberThatIsNotServedBeforeAnInvalidPayload) {
  for (const std::uint32_t stated : {1U, 2U, 3U, 6U, 4294967295U}) {
    Draft draft = Snippet("");
    draft.protocol = stated;
    const base::Refusal refusal = Refused(draft);
    EXPECT_EQ(refusal.rule, Rule::kProtocolNotServed);
    EXPECT_NE(refusal.message.find(std::to_string(stated)), std::string::npos) << refusal.message;
    EXPECT_NE(refusal.message.find("4 and 5"), std::string::npos) << refusal.message;
  }
}

TEST(Request, ServesFourAndFive) {
  for (const std::uint32_t stated : kServedProtocols) {
    Draft draft = Snippet();
    draft.protocol = stated;
    EXPECT_TRUE(Passes(draft)) << stated;
  }
}

TEST(Request, W18_RefusesEveryFloorThatIsNotANameOfOne) {
  for (const char* floor : {"none", "KERNEL", "strong", "unknown", " vm"}) {
    Draft draft = Snippet();
    draft.minimum_isolation = floor;
    EXPECT_EQ(Refused(draft).rule, Rule::kInvalidRequest) << floor;
  }
}

TEST(Request, W19_BoundsTheCode) {
  EXPECT_TRUE(Passes(Snippet(std::string(262'144, ' '))));
  EXPECT_EQ(Refused(Snippet(std::string(262'145, ' '))).message, "javascript.code: 262145 bytes, limit 262144");
  EXPECT_EQ(Refused(Snippet("")).message, "javascript.code: is empty");
  EXPECT_EQ(Refused(Snippet(std::string("a\0b", 3))).message, "javascript.code: holds a NUL byte");
}

TEST(Request, W20_P47_CountsFilesStepsAndArtifacts) {
  Project most = TwoSteps();
  most.files.clear();
  for (int i = 0; i < 200; ++i) {
    most.files.push_back({"f" + std::to_string(i), ""});
  }
  most.steps.assign(20, "true");
  most.artifacts.clear();
  for (int i = 0; i < 100; ++i) {
    most.artifacts.push_back("a" + std::to_string(i));
  }
  EXPECT_TRUE(Passes(WithProject(most)));

  Project files = most;
  files.files.push_back({"one", ""});
  EXPECT_EQ(Refused(WithProject(files)).message, "project.files: 201 files, limit 200");
  Project steps = most;
  steps.steps.push_back("true");
  EXPECT_EQ(Refused(WithProject(steps)).message, "project.steps: 21 steps, limit 20");
  Project artifacts = most;
  artifacts.artifacts.push_back("one");
  EXPECT_EQ(Refused(WithProject(artifacts)).message, "project.artifacts: 101 paths, limit 100");
}

TEST(Request, W21_P47_RefusesPathsThatAreNotPlainAndRelative) {
  const std::string long_path(1025, 'a');
  for (const std::string& path :
       {std::string("/a"), std::string("a/../b"), std::string("./a"), std::string("a//b"), std::string("a/"),
        std::string(".."), std::string("a\\b"), std::string("a\xC2\x85"), std::string("a\x7F"), std::string("a\nb"),
        std::string("a\0", 2), std::string(), long_path}) {
    Project as_file = TwoSteps();
    as_file.files[0].path = path;
    EXPECT_EQ(Refused(WithProject(as_file)).rule, Rule::kInvalidRequest) << path;
    Project as_artifact = TwoSteps();
    as_artifact.artifacts[0] = path;
    EXPECT_EQ(Refused(WithProject(as_artifact)).rule, Rule::kInvalidRequest) << path;
  }
  EXPECT_TRUE(Passes(WithProject(TwoSteps())));  // a/b.txt and ..a
  Project other = TwoSteps();
  other.files[0].path = "\xC2\xA0";  // U+00A0 is no control character
  EXPECT_TRUE(Passes(WithProject(other)));
}

TEST(Request, W22_P47_RefusesEqualPaths) {
  Project files = TwoSteps();
  files.files.push_back(files.files[0]);
  EXPECT_EQ(Refused(WithProject(files)).message, "project.files[1].path: stands in the request twice");
  Project artifacts = TwoSteps();
  artifacts.artifacts.push_back(artifacts.artifacts[0]);
  EXPECT_EQ(Refused(WithProject(artifacts)).message, "project.artifacts[1]: stands in the request twice");
}

TEST(Request, W23_P47_BoundsTheFilesTogether) {
  Project project = TwoSteps();
  project.files = {{"a", std::string(4'194'303, 'x')}, {"b", "x"}};
  EXPECT_TRUE(Passes(WithProject(project)));
  project.files[1].content = "xy";
  EXPECT_EQ(Refused(WithProject(project)).message, "project.files: 4194305 bytes together up to file 1, limit 4194304");
}

TEST(Request, W24_P47_BoundsTheSteps) {
  Project none = TwoSteps();
  none.steps.clear();
  EXPECT_EQ(Refused(WithProject(none)).message, "project.steps: none given, at least 1 needed");
  Project longest = TwoSteps();
  longest.steps[0] = std::string(16'384, 'x');
  EXPECT_TRUE(Passes(WithProject(longest)));
  longest.steps[0] += 'x';
  EXPECT_EQ(Refused(WithProject(longest)).message, "project.steps[0]: 16385 bytes, limit 16384");
  Project nul = TwoSteps();
  nul.steps[1] = std::string("\0", 1);
  EXPECT_EQ(Refused(WithProject(nul)).message, "project.steps[1]: holds a NUL byte");
}

TEST(Request, W25_P56_RefusesAModuleTableThatCannotRunNamingItsField) {
  const auto message = [](Module module) { return Refused(WithModule(std::move(module))).message; };
  Module ragged = Pendulum();
  ragged.rows[1].push_back(1);
  EXPECT_EQ(message(ragged), "module.rows[1]: 3 values, the first row has 2");
  Module nan = Pendulum();
  nan.rows[0][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message(nan), "module.rows[0]: holds a value that is not finite");
  Module no_time = Pendulum();
  no_time.end_time = 0;
  EXPECT_EQ(message(no_time), "module.end_time: must be finite and above 0");
  Module back = Pendulum();
  back.step = -1;
  EXPECT_EQ(message(back), "module.step: must be finite and above 0");
  Module long_run = Pendulum();
  long_run.end_time = 1'000'001;
  long_run.step = 1;
  EXPECT_EQ(message(long_run), "module.end_time: divided by module.step is more than 1000000");
  Module big = Pendulum();
  big.end_time = 1'000'000;
  big.step = 1;
  EXPECT_EQ(message(big), "module.rows: the result could take more than 8388608 bytes");
  Module wide = Pendulum();
  wide.rows = {std::vector<double>(65, 1.0)};
  EXPECT_EQ(message(wide), "module.rows[0]: 65 values, at least 1 needed, limit 64");
  Module nameless = Pendulum();
  nameless.model = ".x";
  EXPECT_NE(message(nameless), "");
  EXPECT_TRUE(Passes(WithModule(Pendulum())));
}

TEST(Request, W26_RefusesNoPayloadAndACellOutsideASession) {
  Draft none = Snippet();
  none.payload = std::monostate();
  EXPECT_EQ(Refused(none).message, "payload: none given, one needed");
  Draft cell = Snippet();
  cell.payload = Cell{"python", "1", {}};
  EXPECT_EQ(Refused(cell).message, "payload: a cell runs in a session only");
  EXPECT_TRUE(Request::Validate(cell, Request::Cells::kAllowed).has_value());
}

TEST(Request, W27_CutsATimeoutAndNeverRefusesIt) {
  const auto timeout = [](std::int32_t stated) {
    Draft draft = Snippet();
    draft.timeout_ms = stated;
    return Request::Validate(draft, Request::Cells::kRefused).value().timeout().count();
  };
  EXPECT_EQ(timeout(0), 0);
  EXPECT_EQ(timeout(-5), 0);
  EXPECT_EQ(timeout(1), 1);
  EXPECT_EQ(timeout(std::numeric_limits<std::int32_t>::max()), 300'000);
  EXPECT_EQ(timeout(std::numeric_limits<std::int32_t>::min()), 0);
}

TEST(Request, W28_DropsABadTraceIdWhole) {
  for (const std::string& bad : {std::string("a/b"), std::string(65, 'a'), std::string("\xC3\xA9")}) {
    Draft draft = Snippet();
    draft.trace_id = bad;
    const auto request = Request::Validate(draft, Request::Cells::kRefused);
    ASSERT_TRUE(request.has_value());
    EXPECT_TRUE(request->trace_id_rejected());
    EXPECT_EQ(request->trace_id(), "");
    EXPECT_EQ(request->as_sent().trace_id, bad);
  }
  Draft good = Snippet();
  good.trace_id = "job:7._-A";
  EXPECT_EQ(Request::Validate(good, Request::Cells::kRefused)->trace_id(), "job:7._-A");
}

TEST(Request, W29_RefusesAMalformedSoftwareRule) {
  const std::vector<SoftwareRuleDraft> bad = {
      {"exact", {"a", "b"}},    {"approved", std::vector<std::string>(33, "a")},
      {"approved", {"a", "a"}}, {"approved", {"a b"}},
      {"approved", {}},         {"", {"a"}},
      {"Exact", {"a"}},         {"exact", {std::string(257, 'a')}},
      {"exact", {""}},
  };
  for (const SoftwareRuleDraft& rule : bad) {
    Draft draft = Snippet();
    draft.software_rule = rule;
    EXPECT_EQ(Refused(draft).rule, Rule::kInvalidRequest) << rule.mode << " " << rule.identities.size();
  }
}

TEST(Request, W32_BoundsTheGrantProfile) {
  Draft draft = Snippet();
  draft.payload = JavaScript{"1", std::string(128, 'g')};
  EXPECT_TRUE(Passes(draft));
  draft.payload = JavaScript{"1", std::string(129, 'g')};
  EXPECT_EQ(Refused(draft).message, "javascript.grant_profile: 129 bytes, limit 128");
}

TEST(Request, SoftwareRuleIsMetByAListedIdentityOnly) {
  Draft draft = Snippet();
  draft.software_rule = {"approved", {"a", "b"}};
  const auto request = Request::Validate(draft, Request::Cells::kRefused);
  ASSERT_TRUE(request.has_value());
  EXPECT_TRUE(request->AllowsSoftware("b"));
  EXPECT_FALSE(request->AllowsSoftware("c"));
  EXPECT_FALSE(request->AllowsSoftware(""));
}

TEST(Request, KeepsTheDraftAsItWasSent) {
  Draft draft = Snippet("code");
  draft.timeout_ms = -7;
  const auto request = Request::Validate(draft, Request::Cells::kRefused);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->as_sent().timeout_ms, -7);
  EXPECT_EQ(request->javascript().code, "code");
  EXPECT_EQ(request->kind(), Kind::kJavaScript);
}

}  // namespace
}  // namespace plimsoll::run
