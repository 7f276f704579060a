#include "records/canonical.h"
#include "records/record.h"

namespace plimsoll::records {
namespace {

// Writes the kind and its fields, in the order of the table in records.md 3. Durations are left out, so a run that
// gives the same output has the same digest on any day.
class AddResult {
 public:
  explicit AddResult(Canonical& out) : out_(out) {}

  void operator()(std::monostate) { out_.Bytes("kind", ""); }

  void operator()(const run::JavaScriptResult& result) {
    out_.Bytes("kind", "javascript");
    AddOutput(result);
  }

  void operator()(const run::CellResult& result) {
    out_.Bytes("kind", "cell");
    AddOutput(result.output);
    out_.Boolean("interpreter_started", result.interpreter_started);
    out_.Boolean("interpreter_ended", result.interpreter_ended);
  }

  void operator()(const run::ProjectResult& result) {
    out_.Bytes("kind", "project");
    AddOutcome(result.outcome, result.outcome_detail);
    out_.Boolean("artifacts_truncated", result.artifacts_truncated);
    out_.Count("steps", result.steps.size());
    for (const run::StepResult& step : result.steps) {
      out_.Bytes("step_command", step.command);
      out_.Integer("step_exit_code", step.exit_code);
      out_.Boolean("step_timed_out", step.timed_out);
      out_.Bytes("step_stdout", step.stdout_bytes);
      out_.Bytes("step_stderr", step.stderr_bytes);
      out_.Boolean("step_stdout_truncated", step.stdout_truncated);
      out_.Boolean("step_stderr_truncated", step.stderr_truncated);
    }
    out_.Count("artifacts", result.artifacts.size());
    for (const run::Artifact& artifact : result.artifacts) {
      out_.Bytes("artifact_path", artifact.path);
      out_.Bytes("artifact_content", artifact.content);
    }
  }

  void operator()(const run::ModuleResult& result) {
    out_.Bytes("kind", "module");
    AddOutcome(result.outcome, result.outcome_detail);
    out_.Integer("width", result.width);
    out_.Bytes("stdout", result.stdout_bytes);
    out_.Bytes("stderr", result.stderr_bytes);
    out_.Count("runs", result.runs.size());
    for (const run::ModuleRow& row : result.runs) {
      out_.Integer("run_status", row.status);
      out_.Floats("run_outputs", row.outputs);
    }
  }

 private:
  void AddOutput(const run::JavaScriptResult& result) {
    out_.Integer("exit_code", result.exit_code);
    out_.Boolean("timed_out", result.timed_out);
    out_.Bytes("stdout", result.stdout_bytes);
    out_.Bytes("stderr", result.stderr_bytes);
    out_.Boolean("stdout_truncated", result.stdout_truncated);
    out_.Boolean("stderr_truncated", result.stderr_truncated);
  }

  void AddOutcome(run::Outcome outcome, std::string_view detail) {
    out_.Integer("outcome", static_cast<std::uint32_t>(outcome));
    out_.Bytes("outcome_detail", detail);
  }

  Canonical& out_;
};

}  // namespace

std::string ResultDigest(const run::Result& result) {
  Canonical out("plimsoll.run-result.v1");
  std::visit(AddResult(out), result);
  return out.Finish();
}

}  // namespace plimsoll::records
