// C29: the C++ client against every row of table.json. Each row is one lie; the client must find it and name it.
#include "lying_daemon/lying_daemon.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "plimsoll/client.h"

namespace plimsoll::testing_lies {
namespace {

using Json = nlohmann::json;
using client::Client;

// Longer than any row needs; a row that tests the time sets its own.
constexpr int kRequestTimeoutMs = 20'000;

Json ReadTable() {
  std::ifstream file(PLIMSOLL_SOURCE_DIR "/tests/lying_daemon/table.json");
  return Json::parse(file);
}

// Read once; read-only after.
const Json& Table() {
  static const Json table = ReadTable();
  return table;
}

// What a call ended in, in the words of the table.
Json VerdictOf(const client::Result<client::JavaScriptResult>& outcome) {
  if (outcome) {
    return {{"class", nullptr}, {"result", true}, {"record", outcome->evidence.record.has_value()}};
  }
  const client::Error& error = outcome.error();
  Json verdict = {{"class", Name(error.error_class)},
                  {"code", Name(error.code)},
                  {"not_dispatched", nullptr},
                  {"result", error.result.has_value()},
                  {"record", false}};
  if (error.not_dispatched) {
    verdict["not_dispatched"] = Name(*error.not_dispatched);
  }
  if (const auto* snippet = error.result ? std::get_if<client::JavaScriptResult>(&*error.result) : nullptr) {
    verdict["record"] = snippet->evidence.record.has_value();
  }
  return verdict;
}

client::Result<client::JavaScriptResult> Call(const Json& call, std::uint16_t port) {
  auto made =
      Client::Create({.base_url = "http://127.0.0.1:" + std::to_string(port),
                      .request_timeout = std::chrono::milliseconds(call.value("request_timeout_ms", kRequestTimeoutMs)),
                      .protocol = call["protocol"]});
  return made.value().RunJavaScript(
      call["code"], {.minimum_isolation = call["minimum_isolation"],
                     .software = {call["software"]["mode"], call["software"]["identities"]},
                     .annex = call.value("annex", false) ? client::AskForAnnex::kYes : client::AskForAnnex::kNo});
}

// Whether an annex was given to the caller, with a result or with an error.
bool GivesAnnex(const client::Result<client::JavaScriptResult>& outcome) {
  if (outcome) {
    return outcome->evidence.annex.has_value();
  }
  const auto& attached = outcome.error().result;
  const auto* snippet = attached ? std::get_if<client::JavaScriptResult>(&*attached) : nullptr;
  return outcome.error().annex || (snippet != nullptr && snippet->evidence.annex);
}

class LyingDaemonRow : public testing::TestWithParam<std::size_t> {};

TEST_P(LyingDaemonRow, C29_IsFoundAndNamed) {
  const Json& row = Table()["rows"][GetParam()];
  Json call = Table()["call"];
  call.merge_patch(row.value("call", Json::object()));
  LyingDaemon daemon(Table()["honest"], row["answer"]);
  const auto started = std::chrono::steady_clock::now();
  const auto outcome = Call(call, daemon.port());
  const auto took = std::chrono::steady_clock::now() - started;
  Json verdict = VerdictOf(outcome);
  if (call.contains("annex")) {
    verdict["annex"] = GivesAnnex(outcome);
  }
  EXPECT_EQ(verdict, row["verdict"]) << row["says"] << "\n" << (outcome ? "a result" : outcome.error().message);
  // C23: late by a second at most. C22, C26: one connection, whatever came back.
  EXPECT_LT(took, std::chrono::milliseconds(call.value("request_timeout_ms", kRequestTimeoutMs) + 1000));
  EXPECT_FALSE(daemon.WasCalledAgain());
}

std::string NameOf(const testing::TestParamInfo<std::size_t>& info) {
  std::string name = Table()["rows"][info.param]["id"];
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, LyingDaemonRow, testing::Range<std::size_t>(0, Table()["rows"].size()), NameOf);

}  // namespace
}  // namespace plimsoll::testing_lies
