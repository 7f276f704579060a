// The program itself, as a shell runs it, against a daemon inside the test.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "clients/cpp/fake_daemon_for_test.h"
#include "lying_daemon/lying_daemon.h"
#include "testkit/temp_folder.h"

namespace plimsoll::tool {
namespace {

using nlohmann::json;
using testing_lies::LyingDaemon;

constexpr const char* kCode = "console.log(6*7)\n";

struct Shown {
  int exit_code = -1;
  std::string out;
  std::string err;
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Runs `plimsoll` with these arguments, and `input` on its standard input.
Shown RunProgram(const std::string& arguments, const std::string& input) {
  const testkit::TempFolder streams;
  const std::string in = streams.Write("in", input);
  const std::string out = streams.Path("out");
  const std::string err = streams.Path("err");
  const std::string command =
      std::string(PLIMSOLL_BIN_DIR "/plimsoll ") + arguments + " <" + in + " >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadFile(out), ReadFile(err)};
}

// What an honest daemon answers to the snippet at this floor.
json HonestAnswer(const std::string& floor) {
  json request = {{"protocol", 5}, {"javascript", {{"code", kCode}}}};
  if (!floor.empty()) {
    request["minimumIsolation"] = floor;
  }
  return client::HonestRun(request.dump());
}

std::string Url(const LyingDaemon& daemon) { return " --url http://127.0.0.1:" + std::to_string(daemon.port()); }

TEST(Program, PrintsTheGuestsBytesAndOneLineOfItsOwn) {
  const json honest = HonestAnswer("");
  const json truth = json::object();
  LyingDaemon daemon(honest, truth);
  const Shown shown = RunProgram("run -" + Url(daemon), kCode);
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(shown.out, "42\n");
  EXPECT_EQ(shown.err, "plimsoll: docker, kernel, exit 0, 95 ms, record " +
                           honest["record"]["recordSha256"].get<std::string>().substr(0, 12) + "\xe2\x80\xa6\n");
}

TEST(Program, PrintsOneJsonObject) {
  const json honest = HonestAnswer("kernel");
  const json truth = json::object();
  LyingDaemon daemon(honest, truth);
  const Shown shown = RunProgram("run - --json --floor kernel" + Url(daemon), kCode);
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_EQ(shown.err, "");
  const json out = json::parse(shown.out);
  EXPECT_EQ(out["ran"], true);
  EXPECT_EQ(out["stdout"], "42\n");
  EXPECT_EQ(out["record"]["record_sha256"], honest["record"]["recordSha256"]);
}

TEST(Program, XB12_Exits125WhenNothingRan) {
  const json honest = json::object();
  const json refusal = {{"status", 400}, {"json", client::ErrorWithDetail("failed_precondition", "\x08\x05")}};
  LyingDaemon daemon(honest, refusal);
  const Shown shown = RunProgram("run - --floor kernel" + Url(daemon), kCode);
  EXPECT_EQ(shown.exit_code, 125);
  EXPECT_EQ(shown.out, "");
  EXPECT_EQ(shown.err, "plimsoll: nothing ran (isolation): refused\n");
}

TEST(Program, Exits126AndPrintsNoOutputWhenTheAnswerDoesNotCheck) {
  const json honest = HonestAnswer("");
  const json lie = {{"merge", {{"javascript", {{"stdout", "NDMK"}}}}}};
  LyingDaemon daemon(honest, lie);
  const Shown shown = RunProgram("run -" + Url(daemon), kCode);
  EXPECT_EQ(shown.exit_code, 126);
  EXPECT_EQ(shown.out, "");
  EXPECT_NE(shown.err.find("it may have run"), std::string::npos);
}

TEST(Program, TakesNoTokenOnTheCommandLineAndNeverPrintsOne) {
  const Shown argument = RunProgram("run - --token hunter2 --url http://127.0.0.1:1", kCode);
  EXPECT_EQ(argument.exit_code, 125);
  const testkit::TempFolder folder;
  const std::string file = folder.Write("token", "hunter 2\n");
  const Shown bad = RunProgram("run - --url http://127.0.0.1:1 --token-file " + file, kCode);
  EXPECT_EQ(bad.exit_code, 125);
  EXPECT_EQ(bad.err.find("hunter"), std::string::npos);
}

TEST(Program, DescribesADaemon) {
  const json honest = {{"sandbox", "wasm"}, {"isolation", "process"}, {"protocol", 5}, {"protocols", {4, 5}}};
  const json truth = json::object();
  LyingDaemon daemon(honest, truth);
  const Shown shown = RunProgram("describe" + Url(daemon), "");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(shown.out, "wasm, process\nprotocols   4, 5\n");
}

// A folder for one project, and a request as the tool makes it of that.
struct ProjectWorld {
  ProjectWorld() {
    std::filesystem::create_directory(folder + "/in");
    std::ofstream(folder + "/in/a.txt") << "x";
    std::filesystem::create_symlink("/etc/passwd", folder + "/in/link");
  }

  static json Answer() {
    const json request = {{"protocol", 5},
                          {"project",
                           {{"files", {{{"path", "a.txt"}, {"content", "x"}}}},
                            {"steps", {"cat a.txt", "false"}},
                            {"artifacts", {"a.txt"}}}}};
    return client::HonestProject(request.dump());
  }
  std::string Run(const std::string& more) const {
    return "run " + folder + "/in --steps 'cat a.txt' --steps false --artifact a.txt " + more;
  }

  const testkit::TempFolder made;
  const std::string folder = made.path();
};

TEST(Program, RunsAProjectAndExitsLikeTheStepThatFailed) {
  const ProjectWorld world;
  const json honest = ProjectWorld::Answer();
  const json truth = json::object();
  LyingDaemon daemon(honest, truth);
  const Shown shown = RunProgram(world.Run("--out " + world.folder + "/out") + Url(daemon), "");
  EXPECT_EQ(shown.exit_code, 1) << shown.err;
  EXPECT_EQ(shown.out, "x");
  EXPECT_EQ(shown.err,
            "plimsoll: not sent: link\n"
            "plimsoll: step 1: cat a.txt\n"
            "plimsoll: step 1: exit 0, 5 ms\n"
            "plimsoll: step 2: false\n"
            "plimsoll: step 2: exit 1, 0 ms\n"
            "plimsoll: artifact a.txt, 2 bytes, written to " +
                world.folder +
                "/out/a.txt\n"
                "plimsoll: docker, kernel, completed, 2 steps, exit 1, 95 ms, record " +
                honest["record"]["recordSha256"].get<std::string>().substr(0, 12) + "\xe2\x80\xa6\n");
  EXPECT_EQ(ReadFile(world.folder + "/out/a.txt"), std::string("\0x", 2));
}

TEST(Program, WritesNoArtifactWithoutOut) {
  const ProjectWorld world;
  const json honest = ProjectWorld::Answer();
  const json truth = json::object();
  LyingDaemon daemon(honest, truth);
  const Shown shown = RunProgram(world.Run("--json") + Url(daemon), "");
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_EQ(shown.err, "");
  const json out = json::parse(shown.out);
  EXPECT_EQ(out["outcome"], "completed");
  EXPECT_EQ(out["exit_code"], 1);
  EXPECT_EQ(out["steps"].size(), 2U);
  EXPECT_TRUE(out["artifacts"][0]["written"].is_null());
  EXPECT_EQ(out["skipped"], json({"link"}));
  EXPECT_FALSE(std::filesystem::exists(world.folder + "/a.txt"));
}

TEST(Program, Exits126AndWritesNothingWhenAProjectsAnswerDoesNotCheck) {
  const ProjectWorld world;
  const json honest = ProjectWorld::Answer();
  const json lie = {{"merge", {{"project", {{"artifactsTruncated", true}}}}}};
  LyingDaemon daemon(honest, lie);
  const Shown shown = RunProgram(world.Run("--out " + world.folder + "/out") + Url(daemon), "");
  EXPECT_EQ(shown.exit_code, 126);
  EXPECT_EQ(shown.out, "");
  EXPECT_FALSE(std::filesystem::exists(world.folder + "/out"));
}

TEST(Program, XF12_Exits125ForAProjectThatCannotBeSent) {
  const ProjectWorld world;
  std::ofstream(world.folder + "/in/picture", std::ios::binary) << "\xff\xd8";
  const Shown shown = RunProgram(world.Run("--url http://127.0.0.1:1"), "");
  EXPECT_EQ(shown.exit_code, 125);
  EXPECT_NE(shown.err.find("picture is not UTF-8 text"), std::string::npos) << shown.err;
}

TEST(Program, RefusesAProjectOnWasmInsideThisProgram) {
  const ProjectWorld world;
  ::setenv("SANDBOX_PROVIDER", "wasm", 1);
  const Shown shown = RunProgram(world.Run(""), "");
  ::unsetenv("SANDBOX_PROVIDER");
  EXPECT_EQ(shown.exit_code, 125);
  EXPECT_NE(shown.err.find("nothing ran (unsupported)"), std::string::npos) << shown.err;
}

TEST(Program, DescribesTheProbesOfItsOwnSandbox) {
  const Shown shown = RunProgram("describe --probes", "");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_NE(shown.out.find("\npass  snippet/memory-cap "), std::string::npos) << shown.out;
  const Shown as_json = RunProgram("describe --probes --json", "");
  EXPECT_EQ(json::parse(as_json.out)["probes"].size(), 4U);
}

TEST(Program, SaysWhatIsWrongWithTheCommandLine) {
  EXPECT_EQ(RunProgram("", "").exit_code, 2);
  EXPECT_EQ(RunProgram("run", "").exit_code, 125);
  EXPECT_EQ(RunProgram("--version", "").exit_code, 0);
}

}  // namespace
}  // namespace plimsoll::tool
