#include "clients/cpp/convert.h"

#include <utility>
#include <vector>

namespace plimsoll::client {
namespace {

std::vector<run::File> FilesOf(std::vector<File> files) {
  std::vector<run::File> out;
  out.reserve(files.size());
  for (File& file : files) {
    out.push_back({std::move(file.path), std::move(file.content)});
  }
  return out;
}

Outcome Public(run::Outcome outcome) {
  switch (outcome) {
    case run::Outcome::kUnspecified: return Outcome::kUnspecified;
    case run::Outcome::kCompleted: return Outcome::kCompleted;
    case run::Outcome::kSetupFailed: return Outcome::kSetupFailed;
    case run::Outcome::kTimedOut: return Outcome::kTimedOut;
    case run::Outcome::kProtocolError: return Outcome::kProtocolError;
    case run::Outcome::kRunnerFailed: return Outcome::kRunnerFailed;
  }
  return Outcome::kUnspecified;  // unreachable: the switch is complete and -Wswitch keeps it so
}

// Turns each kind of result into the public one, with the evidence in it.
struct Convert {
  Evidence& evidence;

  std::optional<AnyResult> operator()(std::monostate) const { return std::nullopt; }

  std::optional<AnyResult> operator()(run::JavaScriptResult&& result) const { return Output(std::move(result)); }

  std::optional<AnyResult> operator()(run::CellResult&& result) const {
    return CellResult{.output = Output(std::move(result.output)),
                      .interpreter_started = result.interpreter_started,
                      .interpreter_ended = result.interpreter_ended};
  }

  std::optional<AnyResult> operator()(run::ProjectResult&& result) const {
    ProjectResult out{.evidence = std::move(evidence),
                      .outcome = Public(result.outcome),
                      .outcome_detail = std::move(result.outcome_detail),
                      .artifacts_truncated = result.artifacts_truncated};
    for (run::StepResult& step : result.steps) {
      out.steps.push_back({.command = std::move(step.command),
                           .stdout_bytes = std::move(step.stdout_bytes),
                           .stderr_bytes = std::move(step.stderr_bytes),
                           .exit_code = step.exit_code,
                           .timed_out = step.timed_out,
                           .stdout_truncated = step.stdout_truncated,
                           .stderr_truncated = step.stderr_truncated,
                           .duration = step.duration});
    }
    for (run::Artifact& artifact : result.artifacts) {
      out.artifacts.push_back({.path = std::move(artifact.path), .content = std::move(artifact.content)});
    }
    return out;
  }

  std::optional<AnyResult> operator()(run::ModuleResult&& result) const {
    ModuleResult out{.evidence = std::move(evidence),
                     .outcome = Public(result.outcome),
                     .outcome_detail = std::move(result.outcome_detail),
                     .width = result.width,
                     .stdout_bytes = std::move(result.stdout_bytes),
                     .stderr_bytes = std::move(result.stderr_bytes)};
    for (run::ModuleRow& row : result.runs) {
      out.runs.push_back({.status = row.status, .outputs = std::move(row.outputs)});
    }
    return out;
  }

  JavaScriptResult Output(run::JavaScriptResult&& result) const {
    return {.evidence = std::move(evidence),
            .stdout_bytes = std::move(result.stdout_bytes),
            .stderr_bytes = std::move(result.stderr_bytes),
            .exit_code = result.exit_code,
            .timed_out = result.timed_out,
            .stdout_truncated = result.stdout_truncated,
            .stderr_truncated = result.stderr_truncated};
  }
};

}  // namespace

Record PublicRecord(records::Record record) {
  return {.version = record.version,
          .request_sha256 = std::move(record.request_sha256),
          .result_sha256 = std::move(record.result_sha256),
          .provider = std::move(record.provider),
          .isolation = std::move(record.isolation),
          .environment = std::move(record.environment),
          .policy = std::move(record.policy),
          .started_unix_ms = record.started_unix_ms,
          .ended_unix_ms = record.ended_unix_ms,
          .session = std::move(record.session),
          .sequence = record.sequence,
          .previous_sha256 = std::move(record.previous_sha256),
          .record_sha256 = std::move(record.record_sha256),
          .software_identity = std::move(record.software_identity),
          .software_rule_id = std::move(record.software_rule_id),
          .unanswered = std::move(record.unanswered),
          .instance = std::move(record.instance)};
}

run::Payload PayloadOf(Project project, std::string grant_profile) {
  return run::Project{FilesOf(std::move(project.files)), std::move(project.steps), std::move(project.artifacts),
                      std::move(grant_profile)};
}

run::Payload PayloadOf(Cell cell) {
  return run::Cell{std::move(cell.language), std::move(cell.code), FilesOf(std::move(cell.files))};
}

std::optional<AnyResult> TakeResult(RunAnswer&& answer, ShowRecord show) {
  Evidence evidence{.provider = std::move(answer.sandbox),
                    .isolation = std::move(answer.isolation),
                    .environment = std::move(answer.environment),
                    .software_identity = std::move(answer.software_identity),
                    .instance = std::move(answer.instance),
                    .duration = answer.duration};
  if (show == ShowRecord::kChecked && answer.record) {
    evidence.record = PublicRecord(*std::move(answer.record));
  }
  return std::visit(Convert{evidence}, std::move(answer.result));
}

}  // namespace plimsoll::client
