#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "testkit/temp_folder.h"
#include "tools/plimsoll/arguments.h"
#include "tools/plimsoll/describe.h"
#include "tools/plimsoll/duration.h"
#include "tools/plimsoll/report.h"
#include "tools/plimsoll/source.h"

namespace plimsoll::tool {
namespace {

using std::chrono::milliseconds;

Ran Printed(std::string bytes) {
  return {.output = {.stdout_bytes = std::move(bytes)},
          .where = {.provider = "wasm",
                    .isolation = "process",
                    .environment = "quickjs-wasm:sha256:00",
                    .duration = milliseconds(2),
                    .record = {.version = 4, .record_sha256 = "3f2a6c01d7e4" + std::string(52, '0')}}};
}

Command Parsed(std::vector<const char*> words) {
  words.insert(words.begin(), "plimsoll");
  return ParseArguments(static_cast<int>(words.size()), words.data());
}

TEST(ParseDuration, ReadsWholeNumbersWithUnits) {
  EXPECT_EQ(ParseDuration("500ms"), milliseconds(500));
  EXPECT_EQ(ParseDuration("2s"), milliseconds(2000));
  EXPECT_EQ(ParseDuration("1m30s"), milliseconds(90'000));
  EXPECT_EQ(ParseDuration("1h2m3s4ms"), milliseconds(3'723'004));
  EXPECT_EQ(ParseDuration("24h"), std::chrono::hours(24));
}

TEST(ParseDuration, RefusesEveryOtherText) {
  for (const char* text : {"", "2", "s", "-2s", "+2s", "2.5s", "2 s", " 2s", "2s ", "2x", "30s1m", "1s1s", "25h", "2S",
                           "99999999999s", "1s2"}) {
    EXPECT_EQ(ParseDuration(text), std::nullopt) << text;
  }
}

TEST(EscapeForTerminal, LeavesTextAndItsLinesAlone) {
  const std::string text = "a\tb\nh\xc3\xa9 \xe4\xb8\xad\xf0\x9f\x9a\xa2";
  EXPECT_EQ(EscapeForTerminal(text), text);
}

TEST(EscapeForTerminal, WritesOutWhatATerminalWouldObey) {
  EXPECT_EQ(EscapeForTerminal("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(EscapeForTerminal("a\rb\x07\x7f"), "a\\x0db\\x07\\x7f");
  EXPECT_EQ(EscapeForTerminal(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(EscapeForTerminal("\xc2\x9b"
                              "31m"),
            "\\xc2\\x9b31m");
  EXPECT_EQ(EscapeForTerminal("\xe2\x80\xae"), "\\xe2\\x80\\xae");
  EXPECT_EQ(EscapeForTerminal("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(EscapeOnOneLine("a\nplimsoll: wasm"), "a\\x0aplimsoll: wasm");
}

TEST(EscapeForTerminal, GivesHarmlessUtf8ForEveryPairOfBytes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string out = EscapeForTerminal(std::string{static_cast<char>(first), static_cast<char>(second)});
      ASSERT_TRUE(base::IsUtf8(out));
      ASSERT_EQ(out.find('\x1b'), std::string::npos);
      ASSERT_EQ(out.find("\xc2\x9b"), std::string::npos);
    }
  }
}

TEST(ExitCodeOf, IsTheGuestsOrOneOfThreeOfItsOwn) {
  Ran ran = Printed("");
  EXPECT_EQ(ExitCodeOf(ran), 0);
  ran.output.exit_code = 7;
  EXPECT_EQ(ExitCodeOf(ran), 7);
  ran.output.exit_code = 256;
  EXPECT_EQ(ExitCodeOf(ran), 1);
  ran.output.exit_code = -1;
  EXPECT_EQ(ExitCodeOf(ran), 1);
  ran.output.exit_code = 124;
  ran.output.timed_out = true;
  EXPECT_EQ(ExitCodeOf(ran), 124);
  EXPECT_EQ(ExitCodeOf(NothingRan{}), 125);
  EXPECT_EQ(ExitCodeOf(MayHaveRun{}), 126);
}

TEST(SummaryOf, IsOneLine) {
  Ran ran = Printed("42\n");
  EXPECT_EQ(SummaryOf(ran, Colour::kOff), "plimsoll: wasm, process, exit 0, 2 ms, record 3f2a6c01d7e4\xe2\x80\xa6");
  ran.output.timed_out = true;
  ran.output.stdout_truncated = true;
  EXPECT_EQ(SummaryOf(ran, Colour::kOff),
            "plimsoll: wasm, process, timed out, stdout cut, 2 ms, record 3f2a6c01d7e4\xe2\x80\xa6");
  EXPECT_EQ(SummaryOf(NothingRan{.reason = "isolation", .message = "below\nthe floor"}, Colour::kOff),
            "plimsoll: nothing ran (isolation): below\\x0athe floor");
  EXPECT_EQ(SummaryOf(NothingRan{.reason = "capacity", .message = "busy", .retry_after = std::chrono::seconds(3)},
                      Colour::kOff),
            "plimsoll: nothing ran (capacity): busy; ask again in 3 s");
  EXPECT_EQ(SummaryOf(MayHaveRun{.message = "the connection ended"}, Colour::kOff),
            "plimsoll: it may have run: the connection ended");
}

TEST(JsonOf, SaysAllThreeOutcomesApart) {
  Ran ran = Printed(std::string("\xff\n", 2));
  ran.where.record.started_unix_ms = 5;
  EXPECT_EQ(JsonOf(ran),
            R"({"ran":true,"exit_code":0,"timed_out":false,"stdout":"\ufffd\n","stdout_base64":"/wo=",)"
            R"("stdout_truncated":false,"stderr":"","stderr_base64":"","stderr_truncated":false,"provider":"wasm",)"
            R"("isolation":"process","environment":"quickjs-wasm:sha256:00","software_identity":"","instance":"",)"
            R"("duration_ms":2,"record":{"version":4,"request_sha256":"","result_sha256":"","policy":"",)"
            R"("software_rule_id":"","started_unix_ms":5,"ended_unix_ms":0,"record_sha256":"3f2a6c01d7e4)" +
                std::string(52, '0') + "\"}}");
  EXPECT_EQ(
      JsonOf(NothingRan{
          .reason = "isolation", .error = "InsufficientIsolation", .code = "failed_precondition", .message = "below"}),
      R"({"ran":false,"reason":"isolation","error":"InsufficientIsolation","code":"failed_precondition",)"
      R"("message":"below","retry_after_s":null})");
  EXPECT_EQ(JsonOf(MayHaveRun{.error = "Transport", .code = "unavailable", .message = "cut"}),
            R"({"ran":"unknown","error":"Transport","code":"unavailable","message":"cut"})");
}

TEST(DescriptionOf, NamesProviderTierAndWhatRunsWhere) {
  client::Info info{.provider = "wasm", .isolation = "process", .protocol = 5, .protocols = {4, 5}};
  info.javascript_environment = client::PayloadEnvironment{
      .identity = "quickjs-wasm:sha256:00", .max_timeout = milliseconds(30'000), .languages = {"javascript"}};
  EXPECT_EQ(DescriptionOf(info, Colour::kOff),
            "wasm, process\n"
            "protocols   4, 5\n"
            "javascript  quickjs-wasm:sha256:00, at most 30000 ms, javascript\n");
  info.resources = {.memory_mb = 256, .cpus = 0.5, .pids = 64, .disk_mb = 160};
  EXPECT_NE(
      DescriptionOf(info, Colour::kOff)
          .find("memory      256 MiB a run\nprocessors  0.5 a run\nprocesses   64 a run\ndisk        160 MiB a run\n"),
      std::string::npos);
  const auto json = nlohmann::json::parse(JsonOf(info));
  EXPECT_EQ(json["provider"], "wasm");
  EXPECT_EQ(json["javascript_environment"]["max_timeout_ms"], 30'000);
  EXPECT_TRUE(json["project_environment"].is_null());
}

TEST(ParseArguments, ReadsARun) {
  const auto command = Parsed({"run", "x.js", "--url", "http://localhost:1", "--floor", "kernel", "--timeout", "2s",
                               "--json", "--token-file", "t", "--ca-file", "c", "--insecure-http"});
  const auto* run = std::get_if<RunCommand>(&command);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->file, "x.js");
  EXPECT_EQ(run->daemon.url, "http://localhost:1");
  EXPECT_EQ(run->minimum_isolation, "kernel");
  EXPECT_EQ(run->timeout, milliseconds(2000));
  EXPECT_EQ(run->format, Format::kJson);
  EXPECT_EQ(run->token_file, "t");
  EXPECT_EQ(run->daemon.ca_file, "c");
  EXPECT_TRUE(run->daemon.insecure_http);
}

TEST(ParseArguments, ReadsStandardInputAsADash) {
  const auto command = Parsed({"run", "-"});
  ASSERT_TRUE(std::holds_alternative<RunCommand>(command));
  EXPECT_EQ(std::get<RunCommand>(command).file, "-");
}

TEST(ParseArguments, SaysThatNothingRanWhenTheRunCannotBeRead) {
  for (const std::vector<const char*>& words : {std::vector<const char*>{"run"},
                                                {"run", "a", "b"},
                                                {"run", "a", "--weather"},
                                                {"run", "a", "--timeout", "2"},
                                                {"run", "a", "--timeout", "0s"},
                                                {"run", "a", "--token", "secret"}}) {
    const auto command = Parsed(words);
    ASSERT_TRUE(std::holds_alternative<Say>(command));
    EXPECT_EQ(std::get<Say>(command).exit_code, 125);
  }
  const auto unknown = Parsed({"weather"});
  EXPECT_EQ(std::get<Say>(unknown).exit_code, 2);
}

TEST(ParseArguments, SaysItsVersionAndItsHelp) {
  const auto version = Parsed({"--version"});
  EXPECT_EQ(std::get<Say>(version).exit_code, 0);
  EXPECT_EQ(std::get<Say>(version).text.find("plimsoll "), 0U);
  const auto help = Parsed({"run", "--help"});
  EXPECT_EQ(std::get<Say>(help).exit_code, 0);
  EXPECT_NE(std::get<Say>(help).text.find("--floor"), std::string::npos);
}

TEST(ReadSource, ReadsAFileUpToTheLimit) {
  const testkit::TempFolder temp;
  const auto good = ReadSource(temp.Write("good.js", std::string(262'144, ' ')));
  EXPECT_EQ(std::get<std::string>(good).size(), 262'144U);
  const auto long_file = ReadSource(temp.Write("long.js", std::string(262'145, ' ')));
  EXPECT_EQ(std::get<NothingRan>(long_file).reason, "request");
  const auto missing = ReadSource(temp.Path("no_such_file.js"));
  EXPECT_EQ(std::get<NothingRan>(missing).reason, "request");
  const auto folder = ReadSource(temp.path());
  EXPECT_TRUE(std::holds_alternative<NothingRan>(folder));
  const auto python = ReadSource("x.py");
  EXPECT_EQ(std::get<NothingRan>(python).reason, "unsupported");
}

TEST(ReadToken, TakesTheFirstLineOfTheFile) {
  const testkit::TempFolder temp;
  EXPECT_EQ(std::get<std::string>(ReadToken(temp.Write("token", "abc\r\nrest"))), "abc");
  EXPECT_TRUE(std::holds_alternative<NothingRan>(ReadToken(temp.Path("no_such_token"))));
}

}  // namespace
}  // namespace plimsoll::tool
