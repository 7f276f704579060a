// C29: the C++ client against every row of the sessions in table.json. Each is a script of one lie among truths.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <optional>

#include "lying_daemon/lying_daemon.h"
#include "plimsoll/client.h"

namespace plimsoll::testing_lies {
namespace {

using Json = nlohmann::json;
using client::Client;

constexpr std::chrono::seconds kRequestTimeout(20);

Json ReadSessions() {
  std::ifstream file(PLIMSOLL_SOURCE_DIR "/tests/lying_daemon/table.json");
  return Json::parse(file)["sessions"];
}

// Read once; read-only after.
const Json& Sessions() {
  static const Json sessions = ReadSessions();
  return sessions;
}

// What every error has, in the words of the table.
Json ErrorOf(const client::Error& error) {
  return {{"class", Name(error.error_class)},
          {"code", Name(error.code)},
          {"not_dispatched", error.not_dispatched ? Json(Name(*error.not_dispatched)) : Json()}};
}

const client::Evidence& EvidenceIn(const client::JavaScriptResult& result) { return result.evidence; }
const client::Evidence& EvidenceIn(const client::ProjectResult& result) { return result.evidence; }
const client::Evidence& EvidenceIn(const client::ModuleResult& result) { return result.evidence; }
const client::Evidence& EvidenceIn(const client::CellResult& result) { return result.output.evidence; }

template <typename T>
Json VerdictOf(const client::Result<T>& outcome) {
  if (outcome) {
    return {{"class", nullptr}, {"result", true}, {"record", EvidenceIn(*outcome).record.has_value()}};
  }
  const client::Error& error = outcome.error();
  Json verdict = ErrorOf(error);
  verdict["result"] = error.result.has_value();
  verdict["record"] =
      error.result &&
      std::visit([](const auto& result) { return EvidenceIn(result).record.has_value(); }, *error.result);
  verdict["unanswered"] = error.unanswered.has_value();
  return verdict;
}

client::SoftwareRule RuleOf(const Json& step) {
  const Json rule = step.value("software", Json{{"mode", ""}, {"identities", Json::array()}});
  return {rule["mode"], rule["identities"]};
}

// What the daemon says in this row, in order.
std::vector<Saying> ScriptOf(const Json& row) {
  std::vector<Saying> script;
  for (const Json& step : row["steps"]) {
    for (const Json& answer : step["answers"]) {
      script.push_back({Sessions()["honest"][answer["of"].get<std::string>()], answer});
    }
  }
  return script;
}

// A client with at most one session, doing the steps of a row.
class Driver {
 public:
  Driver(const Json& row, std::uint16_t port) : opened_(Sessions()["open"]) {
    opened_.merge_patch(row.value("open", Json::object()));
    client_ = Client::Create({.base_url = "http://127.0.0.1:" + std::to_string(port),
                              .request_timeout = kRequestTimeout,
                              .protocol = opened_["protocol"]})
                  .value();
  }

  Json Do(const Json& step) {
    if (step["do"] == "open") {
      return Open();
    }
    return step["do"] == "close" ? Close() : Run(step);
  }

  // Where the session stands, in the words of the table.
  Json State() const {
    const auto ended = session_->ended();
    return {{"calls", session_->calls()},
            {"last", session_->last_record_sha256()},
            {"stopped", session_->stopped()},
            {"ended", ended ? Json(Name(ended->reason)) : Json()}};
  }

 private:
  Json Open() {
    auto opened =
        client_->OpenSession({.minimum_isolation = opened_["minimum_isolation"], .software = RuleOf(opened_)});
    if (!opened) {
      Json verdict = ErrorOf(opened.error());
      verdict["session"] = false;
      return verdict;
    }
    session_ = *std::move(opened);
    return {{"class", nullptr}};
  }

  Json Run(const Json& step) {
    const std::string code = step["code"];
    const client::RunOptions options = {.minimum_isolation = step.value("minimum_isolation", ""),
                                        .software = RuleOf(step)};
    if (step["do"] == "cell") {
      return VerdictOf(session_->RunCell({.code = code}, options));
    }
    if (step["do"] == "project") {
      return VerdictOf(session_->RunProject({.steps = {code}}, options));
    }
    return VerdictOf(session_->RunJavaScript(code, options));
  }

  Json Close() {
    const auto closed = session_->Close();
    Json verdict = closed ? Json{{"class", nullptr}} : ErrorOf(closed.error());
    verdict["summary"] = closed || closed.error().summary.has_value();
    return verdict;
  }

  Json opened_;
  std::optional<Client> client_;
  std::optional<client::Session> session_;
};

class LyingSession : public testing::TestWithParam<std::size_t> {};

TEST_P(LyingSession, C29_IsFoundAndNamed) {
  const Json& row = Sessions()["rows"][GetParam()];
  SCOPED_TRACE(row["says"]);
  std::optional<LyingDaemon> daemon(std::in_place, ScriptOf(row));
  Driver driver(row, daemon->port());
  std::vector<std::string> called;
  for (std::size_t i = 0; i < row["steps"].size(); ++i) {
    const Json& step = row["steps"][i];
    EXPECT_EQ(driver.Do(step), step["verdict"]) << "step " << i;
    if (step.contains("state")) {
      EXPECT_EQ(driver.State(), step["state"]) << "step " << i;
    }
    for (const Json& answer : step["answers"]) {
      called.push_back(answer["to"]);
    }
    // Nothing is sent but this: no call after a stop, no second close.
    ASSERT_EQ(daemon->Called(), called) << "step " << i;
  }
  EXPECT_FALSE(daemon->WasCalledAgain());
  daemon.reset();  // before the session, which says farewell to a daemon it has not closed
}

std::string NameOf(const testing::TestParamInfo<std::size_t>& info) {
  std::string name = Sessions()["rows"][info.param]["id"];
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, LyingSession, testing::Range<std::size_t>(0, Sessions()["rows"].size()), NameOf);

}  // namespace
}  // namespace plimsoll::testing_lies
