#include "clients/cpp/fake_daemon_for_test.h"

#include <optional>

#include "base/base64.h"
#include "base/check.h"
#include "records/vectors_for_test.h"

namespace plimsoll::client {
namespace {

using Json = nlohmann::json;

std::string Base64(std::string_view bytes) { return base::Base64Encode(bytes, base::Padding::kPadded); }

// An answer but for its result, which its record covers.
Json HonestAnswer(std::string_view request_body, run::Result result) {
  const run::Draft request = records::DraftFromVector(Json::parse(request_body));
  run::Report report;
  report.provider = "docker";
  report.tier = isolation::Tier::kKernel;
  report.environment = "docker-image:sha256:00";
  report.software_identity = "oci-manifest:a";
  report.instance = "docker-container:01";
  report.result = std::move(result);
  const records::Record record = records::Stamp(request, report, "", 1000, 1095);
  return {{"sandbox", report.provider},
          {"isolation", "kernel"},
          {"durationMs", "95"},
          {"environment", report.environment},
          {"softwareIdentity", report.software_identity},
          {"instance", report.instance},
          {"record", RecordJson(record)}};
}

ClientOptions WithUrl(ClientOptions options) {
  if (options.base_url.empty()) {
    options.base_url = "http://127.0.0.1:1";
  }
  return options;
}

}  // namespace

Json RecordJson(const records::Record& record) {
  return {{"version", record.version},
          {"requestSha256", record.request_sha256},
          {"resultSha256", record.result_sha256},
          {"provider", record.provider},
          {"isolation", record.isolation},
          {"environment", record.environment},
          {"startedUnixMs", std::to_string(record.started_unix_ms)},
          {"endedUnixMs", std::to_string(record.ended_unix_ms)},
          {"session", record.session},
          {"sequence", std::to_string(record.sequence)},
          {"previousSha256", record.previous_sha256},
          {"unanswered", record.unanswered},
          {"policy", record.policy},
          {"recordSha256", record.record_sha256},
          {"softwareIdentity", record.software_identity},
          {"softwareRuleId", record.software_rule_id},
          {"instance", record.instance}};
}

Json HonestRun(std::string_view request_body) {
  run::JavaScriptResult output;
  output.stdout_bytes = "42\n";
  Json answer = HonestAnswer(request_body, output);
  answer["javascript"] = {{"stdout", Base64("42\n")}};
  return answer;
}

Json HonestProject(std::string_view request_body) {
  run::ProjectResult project;
  project.outcome = run::Outcome::kCompleted;
  project.steps.resize(2);
  project.steps[0].command = "cat a.txt";
  project.steps[0].stdout_bytes = "x";
  project.steps[1].command = "false";
  project.steps[1].exit_code = 1;
  project.artifacts = {{"a.txt", std::string("\0x", 2)}};
  Json answer = HonestAnswer(request_body, project);
  answer["project"] = {{"steps",
                        {{{"command", "cat a.txt"}, {"stdout", Base64("x")}, {"durationMs", "5"}},
                         {{"command", "false"}, {"exitCode", 1}}}},
                       {"outcome", "PROJECT_OUTCOME_COMPLETED"},
                       {"artifacts", {{{"path", "a.txt"}, {"content", Base64(std::string("\0x", 2))}}}}};
  return answer;
}

Json Sealed(Json answer) {
  answer["record"]["recordSha256"] = records::RecordDigest(records::RecordFromVector(answer["record"]));
  return answer;
}

Answer Ok(const Post& post, const Json& body) { return Refused(post, 200, body); }

Answer Refused(const Post& post, int status, const Json& body) {
  return {
      .status = status,
      .fields = {{"content-type", "application/json"}, {"plimsoll-request-id", FieldOf(post, "Plimsoll-Request-Id")}},
      .body = body.dump()};
}

Json ErrorWithDetail(std::string_view code, std::string_view detail_bytes) {
  return {{"code", code},
          {"message", "refused"},
          {"details",
           {{{"type", "plimsoll.v1.NotDispatched"},
             {"value", base::Base64Encode(detail_bytes, base::Padding::kUnpadded)}}}}};
}

std::string FieldOf(const Post& post, std::string_view name) {
  std::optional<std::string> found;
  for (const auto& [field, value] : post.fields) {
    if (field == name) {
      PLIMSOLL_CHECK(!found);
      found = value;
    }
  }
  PLIMSOLL_CHECK(found.has_value());
  return *found;
}

Harness::Harness(Reply reply, ClientOptions options)
    : client(Client::CreateForTest(WithUrl(std::move(options)), std::make_unique<FakeTransport>(std::move(reply), sent))
                 .value()) {}

Reply Lying(std::function<void(Json&)> lie) {
  return [lie = std::move(lie)](const Post& post) {
    Json answer = HonestRun(post.body);
    lie(answer);
    return Ok(post, answer);
  };
}

Reply Honest() {
  return Lying([](Json&) {});
}

}  // namespace plimsoll::client
