#include "clients/cpp/fake_daemon_for_test.h"

#include <optional>

#include "base/base64.h"
#include "base/check.h"
#include "records/vectors_for_test.h"

namespace plimsoll::client {
namespace {

using Json = nlohmann::json;

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
  const run::Draft request = records::DraftFromVector(Json::parse(request_body));
  run::JavaScriptResult output;
  output.stdout_bytes = "42\n";
  run::Report report;
  report.provider = "docker";
  report.tier = isolation::Tier::kKernel;
  report.environment = "docker-image:sha256:00";
  report.software_identity = "oci-manifest:a";
  report.instance = "docker-container:01";
  report.result = output;
  const records::Record record = records::Stamp(request, report, "", 1000, 1095);
  return {{"sandbox", report.provider},
          {"isolation", "kernel"},
          {"durationMs", "95"},
          {"environment", report.environment},
          {"softwareIdentity", report.software_identity},
          {"instance", report.instance},
          {"javascript", {{"stdout", base::Base64Encode("42\n", base::Padding::kPadded)}}},
          {"record", RecordJson(record)}};
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
