#include <bit>
#include <cmath>

#include "base/utf8.h"
#include "records/record.h"

namespace plimsoll::records {
namespace {

constexpr std::uint64_t kQuietNan = 0x7ff8000000000000;

void Repair(std::string& text) {
  if (!base::IsUtf8(text)) {
    text = base::RepairUtf8(text);
  }
}

// Repairs what a provider says in words of its own; JavaScript and cells hold bytes only.
struct MakeResultRecordable {
  void operator()(std::monostate) const {}
  void operator()(run::JavaScriptResult&) const {}
  void operator()(run::CellResult&) const {}
  void operator()(run::ProjectResult& result) const {
    Repair(result.outcome_detail);
    for (run::StepResult& step : result.steps) {
      Repair(step.command);
    }
    for (run::Artifact& artifact : result.artifacts) {
      Repair(artifact.path);
    }
  }
  void operator()(run::ModuleResult& result) const {
    Repair(result.outcome_detail);
    for (run::ModuleRow& row : result.runs) {
      for (double& output : row.outputs) {
        if (std::isnan(output)) {
          output = std::bit_cast<double>(kQuietNan);
        }
      }
    }
  }
};

}  // namespace

void MakeRecordable(run::Report& report) {
  Repair(report.provider);
  Repair(report.environment);
  Repair(report.software_identity);
  std::visit(MakeResultRecordable{}, report.result);
}

Record Stamp(const run::Draft& request, const run::Report& report, std::string_view policy,
             std::int64_t started_unix_ms, std::int64_t ended_unix_ms) {
  Record record;
  record.version = kRecordVersion;
  record.request_sha256 = RequestDigest(request);
  record.result_sha256 = ResultDigest(report.result);
  record.provider = report.provider;
  record.isolation = isolation::Name(report.tier);
  record.environment = report.environment;
  record.policy = policy;
  record.started_unix_ms = started_unix_ms;
  record.ended_unix_ms = ended_unix_ms;
  record.software_identity = report.software_identity;
  record.software_rule_id = SoftwareRuleId(request.software_rule);
  record.instance = report.instance;
  record.record_sha256 = RecordDigest(record);
  return record;
}

Record StampUnanswered(const run::Draft& request, const run::Report& stated, std::string_view policy,
                       std::int64_t started_unix_ms, std::int64_t ended_unix_ms, std::string_view code) {
  Record record = Stamp(request, stated, policy, started_unix_ms, ended_unix_ms);
  record.result_sha256.clear();
  record.unanswered = code;
  record.record_sha256 = RecordDigest(record);
  return record;
}

}  // namespace plimsoll::records
