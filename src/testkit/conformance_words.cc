#include "testkit/conformance_words.h"

#include <variant>

namespace plimsoll::testkit {
namespace {

std::string Cut(const std::string& bytes) {
  constexpr std::size_t kShown = 300;
  return bytes.size() <= kShown ? bytes : bytes.substr(0, kShown) + "...(" + std::to_string(bytes.size()) + " bytes)";
}

std::string Told(const run::JavaScriptResult& result) {
  return "exit " + std::to_string(result.exit_code) + (result.timed_out ? ", timed out" : "") +
         (result.stdout_truncated ? ", stdout cut" : "") + (result.stderr_truncated ? ", stderr cut" : "") +
         ", stdout `" + Cut(result.stdout_bytes) + "`, stderr `" + Cut(result.stderr_bytes) + "`";
}

std::string Told(const run::ProjectResult& result) {
  std::string text = "outcome " + std::to_string(static_cast<int>(result.outcome)) + " `" + result.outcome_detail + "`";
  for (const run::StepResult& step : result.steps) {
    text += "; step exit " + std::to_string(step.exit_code) + (step.timed_out ? ", timed out" : "") + ", stdout `" +
            Cut(step.stdout_bytes) + "`, stderr `" + Cut(step.stderr_bytes) + "`";
  }
  return text + "; " + std::to_string(result.artifacts.size()) + " artifacts";
}

}  // namespace

const run::JavaScriptResult* SnippetIn(const base::Result<run::Report>& report) {
  return report ? std::get_if<run::JavaScriptResult>(&report.value().result) : nullptr;
}

const run::ProjectResult* ProjectIn(const base::Result<run::Report>& report) {
  return report ? std::get_if<run::ProjectResult>(&report.value().result) : nullptr;
}

std::string Told(const base::Result<run::Report>& report) {
  if (const base::Refusal* refusal = base::RefusalIn(report)) {
    return "refused: " + refusal->message;
  }
  if (const base::Fault* fault = base::FaultIn(report)) {
    return "fault: " + fault->detail;
  }
  if (const auto* result = SnippetIn(report)) {
    return Told(*result);
  }
  if (const auto* result = ProjectIn(report)) {
    return Told(*result);
  }
  return "a result of another kind";
}

std::string Differs(const base::Result<run::Report>& report, const Wanted& wanted) {
  const auto* result = SnippetIn(report);
  const bool same = result != nullptr && result->stdout_bytes == wanted.out && result->stderr_bytes == wanted.err &&
                    result->exit_code == wanted.exit && result->timed_out == wanted.timed_out &&
                    result->stdout_truncated == wanted.out_cut && result->stderr_truncated == wanted.err_cut;
  return same ? "" : Told(report);
}

std::string NotRefused(const base::Result<run::Report>& report, base::Rule rule) {
  const base::Refusal* refusal = base::RefusalIn(report);
  return refusal != nullptr && refusal->rule == rule ? "" : Told(report);
}

}  // namespace plimsoll::testkit
