// The program itself, as a shell runs it, against a daemon inside the test.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "clients/cpp/fake_daemon_for_test.h"
#include "lying_daemon/lying_daemon.h"

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
  const std::string base = testing::TempDir() + "program_test_" +
                           std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
                           ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ofstream(base + ".in", std::ios::binary) << input;
  const std::string command =
      std::string(PLIMSOLL_BIN_DIR "/plimsoll ") + arguments + " <" + base + ".in >" + base + ".out 2>" + base + ".err";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadFile(base + ".out"), ReadFile(base + ".err")};
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

TEST(Program, Exits125WhenNothingRan) {
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
  const std::string file = testing::TempDir() + "program_test_token";
  std::ofstream(file) << "hunter 2\n";
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

TEST(Program, SaysWhatIsWrongWithTheCommandLine) {
  EXPECT_EQ(RunProgram("", "").exit_code, 2);
  EXPECT_EQ(RunProgram("run", "").exit_code, 125);
  EXPECT_EQ(RunProgram("--version", "").exit_code, 0);
}

}  // namespace
}  // namespace plimsoll::tool
