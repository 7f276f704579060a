#include "clients/cpp/fake_session_for_test.h"

#include "base/base64.h"
#include "base/check.h"
#include "records/vectors_for_test.h"

namespace plimsoll::client {
namespace {

using Json = nlohmann::json;

std::string Varint(std::uint64_t value) {
  std::string out;
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  return out + static_cast<char>(value);
}

// Fields at their default value are left out.
std::string Number(unsigned field, std::uint64_t value) {
  return value == 0 ? std::string() : Varint(field << 3) + Varint(value);
}

std::string Text(unsigned field, std::string_view bytes) {
  return bytes.empty() ? std::string() : Varint(field << 3 | 2) + Varint(bytes.size()) + std::string(bytes);
}

run::Report ReportOf(run::Kind kind) {
  run::JavaScriptResult output;
  output.stdout_bytes = "42\n";
  run::Report report;
  report.provider = "docker";
  report.tier = isolation::Tier::kKernel;
  report.environment = "docker-image:sha256:00";
  report.software_identity = FakeSession::kSoftware;
  report.instance = "docker-container:01";
  switch (kind) {
    case run::Kind::kCell: report.result = run::CellResult{output, true, false}; break;
    case run::Kind::kProject: {
      run::ProjectResult project;
      project.outcome = run::Outcome::kCompleted;
      report.result = project;
      break;
    }
    case run::Kind::kJavaScript:
    case run::Kind::kModule: report.result = output; break;
  }
  return report;
}

Json ResultOf(run::Kind kind) {
  const std::string out = base::Base64Encode("42\n", base::Padding::kPadded);
  switch (kind) {
    case run::Kind::kCell: return {{"stdout", out}, {"interpreterStarted", true}};
    case run::Kind::kProject: return {{"outcome", "PROJECT_OUTCOME_COMPLETED"}};
    case run::Kind::kJavaScript:
    case run::Kind::kModule: return {{"stdout", out}};
  }
  return {};
}

}  // namespace

run::Draft DraftOf(const Post& post) { return records::DraftFromVector(Json::parse(post.body)); }

bool Is(const Post& post, std::string_view method) { return post.target.ends_with("/" + std::string(method)); }

std::string MethodsOf(const std::vector<Post>& sent) {
  std::string out;
  for (const Post& post : sent) {
    out += (out.empty() ? "" : " ") + post.target.substr(post.target.rfind('/') + 1);
  }
  return out;
}

Json FakeSession::Truth(const Post& post) {
  const std::lock_guard lock(mutex_);
  if (Is(post, "OpenSession")) {
    return {{"sessionId", kId},
            {"session", chain_.fingerprint()},
            {"sandbox", "docker"},
            {"isolation", "kernel"},
            {"expiresUnixMs", "1795000000000"},
            {"idleTimeoutMs", 300000},
            {"softwareIdentity", kSoftware}};
  }
  PLIMSOLL_CHECK(Json::parse(post.body)["sessionId"] == kId);
  if (Is(post, "CloseSession")) {
    return {{"session", chain_.fingerprint()},
            {"calls", std::to_string(chain_.calls())},
            {"lastRecordSha256", chain_.last_sha256()},
            {"ended", "SESSION_END_CLOSED"}};
  }
  const run::Draft draft = DraftOf(post);
  const auto kind = static_cast<run::Kind>(draft.payload.index() - 1);
  const run::Report report = ReportOf(kind);
  const records::Record record = chain_.Next(records::Stamp(draft, report, "", 1000, 1095));
  chain_.Advance(record);
  return {{"run",
           {{"sandbox", report.provider},
            {"isolation", "kernel"},
            {"durationMs", "95"},
            {"environment", report.environment},
            {"softwareIdentity", report.software_identity},
            {"instance", report.instance},
            {Name(kind), ResultOf(kind)},
            {"record", RecordJson(record)}}}};
}

records::Record FakeSession::UnansweredRecord(const Post& post, std::string_view code) {
  const std::lock_guard lock(mutex_);
  return chain_.Next(records::StampUnanswered(DraftOf(post), ReportOf(run::Kind::kJavaScript), "", 1000, 1095, code));
}

Json FakeSession::Unanswered(const Post& post, std::string_view code) {
  const records::Record record = UnansweredRecord(post, code);
  const std::lock_guard lock(mutex_);
  chain_.Advance(record);
  return ErrorWith(code, {{"plimsoll.v1.UnansweredCall", EncodeUnansweredCall(record)}});
}

records::Chain FakeSession::chain() {
  const std::lock_guard lock(mutex_);
  return chain_;
}

Reply FakeSession::Honest() {
  return [this](const Post& post) { return Ok(post, Truth(post)); };
}

Json ErrorWith(std::string_view code, const std::vector<std::pair<std::string, std::string>>& details) {
  Json out = {{"code", code}, {"message", "it failed"}, {"details", Json::array()}};
  for (const auto& [type, bytes] : details) {
    out["details"].push_back({{"type", type}, {"value", base::Base64Encode(bytes, base::Padding::kUnpadded)}});
  }
  return out;
}

std::string EncodeUnansweredCall(const records::Record& record) {
  return Text(1, Number(1, record.version) + Text(2, record.request_sha256) + Text(3, record.result_sha256) +
                     Text(4, record.provider) + Text(5, record.isolation) + Text(6, record.environment) +
                     Text(7, record.policy) + Number(8, static_cast<std::uint64_t>(record.started_unix_ms)) +
                     Number(9, static_cast<std::uint64_t>(record.ended_unix_ms)) + Text(10, record.session) +
                     Number(11, record.sequence) + Text(12, record.previous_sha256) + Text(13, record.record_sha256) +
                     Text(14, record.software_identity) + Text(15, record.software_rule_id) +
                     Text(16, record.unanswered) + Text(17, record.instance));
}

std::string EncodeSessionEnded(int reason, std::string_view detail) {
  return Number(1, static_cast<std::uint64_t>(reason)) + Text(2, detail);
}

}  // namespace plimsoll::client
