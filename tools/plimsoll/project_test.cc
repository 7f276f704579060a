#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "testkit/temp_folder.h"
#include "tools/plimsoll/arguments.h"
#include "tools/plimsoll/artifacts.h"
#include "tools/plimsoll/describe.h"
#include "tools/plimsoll/report.h"
#include "tools/plimsoll/source.h"

namespace plimsoll::tool {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

class ProjectFolder : public testing::Test {
 protected:
  ProjectFolder() { fs::create_directory(root_ / "in"); }

  void Put(const fs::path& path, std::string_view text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  std::string Get(const fs::path& path) {
    std::ifstream file(root_ / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string Path(const std::string& name) { return (root_ / name).string(); }
  std::string Refusal() {
    const auto read = ReadProject(Path("in"));
    const auto* refused = std::get_if<NothingRan>(&read);
    EXPECT_TRUE(refused == nullptr || refused->reason == "request");
    return refused == nullptr ? std::string() : refused->message;
  }
  std::vector<std::string> Paths() {
    std::vector<std::string> paths;
    const auto read = ReadProject(Path("in"));
    for (const ProjectFile& file : std::get<FolderContent>(read).files) {
      paths.push_back(file.path);
    }
    return paths;
  }

  const testkit::TempFolder folder_;
  const fs::path root_ = folder_.path();
};

using Names = std::vector<std::string>;

TEST_F(ProjectFolder, IsEveryFileBelowItByItsPathFromThere) {
  Put("in/b.txt", "two");
  Put("in/a/deep/er.js", "one");
  Put("in/.hidden", "");
  fs::create_directory(root_ / "in/empty");
  const auto read = ReadProject(Path("in"));
  const auto& content = std::get<FolderContent>(read);
  EXPECT_EQ(Paths(), (Names{".hidden", "a/deep/er.js", "b.txt"}));
  EXPECT_EQ(content.files[1].content, "one");
  EXPECT_TRUE(content.skipped.empty());
}

TEST_F(ProjectFolder, LeavesOutLinksAndWhatIsNoFileAndSaysSo) {
  Put("secret", "outside");
  Put("in/a.txt", "a");
  Put("in/.git/HEAD", "ref");
  fs::create_symlink("../secret", root_ / "in/link");
  fs::create_directory_symlink("..", root_ / "in/up");
  ASSERT_EQ(::mkfifo((root_ / "in/fifo").c_str(), 0600), 0);
  const auto read = ReadProject(Path("in"));
  EXPECT_EQ(Paths(), Names{"a.txt"});
  EXPECT_EQ(std::get<FolderContent>(read).skipped, (Names{".git", "fifo", "link", "up"}));
  // The folder itself may be named through a link: that is the caller's own choice.
  fs::create_directory_symlink("in", root_ / "named");
  EXPECT_TRUE(std::holds_alternative<FolderContent>(ReadProject(Path("named"))));
}

TEST_F(ProjectFolder, P47_RefusesWhatTheLimitsRefuseBeforeAnythingIsSent) {
  for (int i = 0; i < 200; ++i) {
    Put("in/" + std::to_string(1000 + i), "");
  }
  EXPECT_EQ(Refusal(), "");
  Put("in/one-more", "");
  EXPECT_NE(Refusal().find("the limit of 200; one-more"), std::string::npos) << Refusal();
  fs::remove_all(root_ / "in");
  Put("in/a", std::string(4'000'000, 'x'));
  Put("in/b", std::string(194'304, 'x'));
  EXPECT_EQ(Refusal(), "");
  Put("in/b", std::string(194'305, 'x'));
  EXPECT_NE(Refusal().find("the limit of 4194304 bytes; b"), std::string::npos) << Refusal();
  fs::remove_all(root_ / "in");
  Put("in/bin", "\xff\xfe");
  EXPECT_NE(Refusal().find("bin is not UTF-8 text"), std::string::npos);
  fs::remove_all(root_ / "in");
  Put("in/a\\b", "");
  EXPECT_NE(Refusal().find("holds a backslash"), std::string::npos);
  fs::remove_all(root_ / "in");
  Put("in/a\nb", "");
  EXPECT_NE(Refusal().find("holds a control character"), std::string::npos);
  fs::remove_all(root_ / "in");
  Put("in/\xff", "");
  EXPECT_NE(Refusal().find("is not UTF-8 and cannot be sent"), std::string::npos);
}

TEST_F(ProjectFolder, IsBoundedInDepthAndInWhatIsLookedThrough) {
  fs::path deep = "in";
  for (int i = 0; i < 64; ++i) {
    deep /= "d";
  }
  Put(deep / "f", "");
  EXPECT_EQ(Refusal(), "");
  Put(deep / "d/f", "");
  EXPECT_NE(Refusal().find("nested deeper than 64 folders"), std::string::npos);
  EXPECT_NE(std::get<NothingRan>(ReadProject(Path("absent"))).message.find("cannot be read"), std::string::npos);
  Put("file", "");
  EXPECT_TRUE(std::holds_alternative<NothingRan>(ReadProject(Path("file"))));
}

TEST_F(ProjectFolder, WritesTheArtifactsThatWereAskedForAndSaysWhere) {
  std::vector<Artifact> artifacts = {{"a.txt", std::string("\0a", 2)}, {"deep/er/b", "b"}};
  EXPECT_EQ(WriteArtifacts(Path("out"), {"a.txt", "deep/er/b", "absent"}, artifacts), std::nullopt);
  EXPECT_EQ(Get("out/a.txt"), std::string("\0a", 2));
  EXPECT_EQ(Get("out/deep/er/b"), "b");
  EXPECT_EQ(artifacts[1].written, Path("out") + "/deep/er/b");
}

TEST_F(ProjectFolder, NeverWritesOutsideOfTheFolderWhateverTheAnswerSays) {
  Put("secret", "outside");
  fs::create_directories(root_ / "out");
  fs::create_directory_symlink("..", root_ / "out/up");
  fs::create_symlink("../secret", root_ / "out/link");
  for (const char* path : {"../secret", "/etc/plimsoll-test", "up/secret", "a/../../secret", "..", "", "a//b"}) {
    std::vector<Artifact> artifacts = {{path, "overwritten"}};
    EXPECT_NE(WriteArtifacts(Path("out"), {path}, artifacts), std::nullopt) << path;
    EXPECT_EQ(artifacts[0].written, "") << path;
  }
  std::vector<Artifact> unasked = {{"not-asked", "x"}, {"link", "new"}};
  const auto problem = WriteArtifacts(Path("out"), {"link"}, unasked);
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->find("not-asked was not written: it was not asked for"), std::string::npos);
  EXPECT_EQ(Get("out/link"), "new");  // what could be written is, in the link's place
  EXPECT_EQ(Get("secret"), "outside");
  EXPECT_FALSE(fs::exists(root_ / "out/not-asked"));
}

ProjectRan Project(std::string outcome, std::vector<int> exits) {
  ProjectRan out{.outcome = std::move(outcome),
                 .where = {.provider = "docker",
                           .isolation = "kernel",
                           .duration = milliseconds(95),
                           .record = {.version = 4, .record_sha256 = std::string(64, 'a')}}};
  for (const int exit : exits) {
    out.steps.push_back({.command = "make\x1b", .output = {.exit_code = exit}, .duration = milliseconds(5)});
  }
  return out;
}

TEST(ExitCodeOfAProject, IsThatOfTheStepThatFailedOrSaysWhatHappened) {
  EXPECT_EQ(ExitCodeOf(Project("completed", {0, 0})), 0);
  EXPECT_EQ(ExitCodeOf(Project("completed", {0, 3})), 3);
  EXPECT_EQ(ExitCodeOf(Project("completed", {300})), 1);
  EXPECT_EQ(ExitCodeOf(Project("timed_out", {0, 124})), 124);
  EXPECT_EQ(ExitCodeOf(Project("timed_out", {})), 124);
  EXPECT_EQ(ExitCodeOf(Project("setup_failed", {})), 125);
  EXPECT_EQ(ExitCodeOf(Project("protocol_error", {0})), 126);
  EXPECT_EQ(ExitCodeOf(Project("runner_failed", {0})), 126);
  EXPECT_EQ(ExitCodeOf(Project("unspecified", {0})), 126);
}

TEST(SummaryOfAProject, IsOneLineThatNamesTheOutcome) {
  ProjectRan project = Project("completed", {0, 3});
  EXPECT_EQ(SummaryOf(project, Colour::kOff),
            "plimsoll: docker, kernel, completed, 2 steps, exit 3, 95 ms, record aaaaaaaaaaaa\xe2\x80\xa6");
  project = Project("timed_out", {0});
  project.outcome_detail = "step 2\n";
  project.artifacts_truncated = true;
  EXPECT_EQ(SummaryOf(project, Colour::kOff),
            "plimsoll: docker, kernel, timed_out (step 2\\x0a), 1 step, artifacts cut, 95 ms, record "
            "aaaaaaaaaaaa\xe2\x80\xa6");
}

TEST(StepLines, StandAroundTheOutputAndAreHarmless) {
  Step step = Project("completed", {7}).steps[0];
  EXPECT_EQ(StepHeadOf(step, 1, Colour::kOff), "plimsoll: step 1: make\\x1b");
  EXPECT_EQ(StepTailOf(step, 1, Colour::kOff), "plimsoll: step 1: exit 7, 5 ms");
  step.output.timed_out = true;
  step.output.stderr_truncated = true;
  EXPECT_EQ(StepTailOf(step, 2, Colour::kOff), "plimsoll: step 2: timed out, stderr cut, 5 ms");
}

TEST(ArtifactLines, XF9_NameWhatCameAndWhatDidNot) {
  ProjectRan project = Project("completed", {0});
  project.artifacts = {{"a", "12", "out/a"}, {"b", "", ""}};
  EXPECT_EQ(ArtifactLinesOf(project, {"a", "b", "c"}),
            (Names{"plimsoll: artifact a, 2 bytes, written to out/a", "plimsoll: artifact b, 0 bytes, not written",
                   "plimsoll: artifact c is not there"}));
  EXPECT_EQ(SkippedLinesOf({"1", "2", "3", "4", "5", "6", "7"}).back(), "plimsoll: not sent: 2 more");
}

TEST(JsonOfAProject, XF12_HoldsEveryStepAndArtifactExactly) {
  ProjectRan project = Project("completed", {1});
  project.steps[0].output.stdout_bytes = "\xff";
  project.artifacts = {{"a", std::string("\0", 1), ""}};
  project.skipped = {"link"};
  const auto json = nlohmann::json::parse(JsonOf(project));
  EXPECT_EQ(json["ran"], true);
  EXPECT_EQ(json["outcome"], "completed");
  EXPECT_EQ(json["exit_code"], 1);
  EXPECT_EQ(json["steps"][0]["stdout_base64"], "/w==");
  EXPECT_EQ(json["steps"][0]["exit_code"], 1);
  EXPECT_EQ(json["steps"][0]["duration_ms"], 5);
  EXPECT_EQ(json["artifacts"][0]["content_base64"], "AA==");
  EXPECT_EQ(json["artifacts"][0]["size"], 1);
  EXPECT_TRUE(json["artifacts"][0]["written"].is_null());
  EXPECT_EQ(json["skipped"], nlohmann::json({"link"}));
  EXPECT_EQ(json["isolation"], "kernel");
  EXPECT_EQ(json["record"]["record_sha256"], std::string(64, 'a'));
}

TEST(ProbesTable, HasOneLineAProbeAndIsHarmless) {
  client::Probes probes{.provider = "docker",
                        .isolation = "kernel",
                        .environment = "docker-image:sha256:00",
                        .daemon_version = "0.2.0",
                        .runtime_version = "runsc 1",
                        .started_unix_ms = 1'700'000'000'000,
                        .ended_unix_ms = 1'700'000'001'000,
                        .sha256 = std::string(64, 'b')};
  probes.probes = {{.probe = "project/pids",
                    .outcome = "skip",
                    .tried = "forked past the limit",
                    .happened = "not\x1b here",
                    .at_unix_ms = 1'700'000'000'123},
                   {.probe = "snippet/root-write", .outcome = "pass", .tried = "wrote to /", .happened = "EROFS"}};
  EXPECT_EQ(ProbesTableOf(probes, Colour::kOff),
            "docker, kernel\n"
            "runtime     runsc 1\n"
            "probed      docker-image:sha256:00\n"
            "when        2023-11-14T22:13:20.000Z to 2023-11-14T22:13:21.000Z\n"
            "by          plimsoll 0.2.0\n"
            "report      " +
                std::string(64, 'b') +
                "\n"
                "skip  project/pids        22:13:20.123  forked past the limit: not\\x1b here\n"
                "pass  snippet/root-write  00:00:00.000  wrote to /: EROFS\n");
  probes.started_unix_ms = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(ProbesTableOf(probes, Colour::kOff).find("when        9223372036854775807 to"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(JsonOf(probes))["probes"][1]["happened"], "EROFS");
}

Command Parsed(std::vector<const char*> words) {
  words.insert(words.begin(), "plimsoll");
  return ParseArguments(static_cast<int>(words.size()), words.data());
}

TEST(ParseArguments, ReadsAProjectWithItsStepsInOrder) {
  const auto command = Parsed({"run", "--steps", "make test", "--artifact", "a", "dir", "--steps", "ls -l",
                               "--artifact", "b", "--out", "o", "--steps", ""});
  const auto* run = std::get_if<RunCommand>(&command);
  ASSERT_NE(run, nullptr) << std::get<Say>(command).text;
  EXPECT_EQ(run->file, "dir");
  EXPECT_EQ(run->steps, (Names{"make test", "ls -l", ""}));
  EXPECT_EQ(run->artifacts, (Names{"a", "b"}));
  EXPECT_EQ(run->out, "o");
  const auto probes = Parsed({"describe", "--probes"});
  EXPECT_EQ(std::get<DescribeCommand>(probes).what, Describe::kProbes);
}

TEST(ParseArguments, RefusesAProjectThatMeansNothing) {
  for (const std::vector<const char*>& words : {std::vector<const char*>{"run", "d", "--artifact", "a"},
                                                {"run", "d", "--out", "o"},
                                                {"run", "d", "--steps", "x", "--out", "o"},
                                                {"run", "-", "--steps", "x"},
                                                {"run", "d", "e", "--steps", "x"},
                                                {"run", "d", "--steps"}}) {
    const auto command = Parsed(words);
    ASSERT_TRUE(std::holds_alternative<Say>(command)) << words.size();
    EXPECT_EQ(std::get<Say>(command).exit_code, 125);
  }
}

}  // namespace
}  // namespace plimsoll::tool
