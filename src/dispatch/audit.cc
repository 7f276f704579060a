#include "dispatch/audit.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace plimsoll::dispatch {
namespace {

using Fields = std::vector<base::LogField>;

void Add(Fields& fields, std::string_view key, std::string_view value) { fields.push_back({key, value}); }
void AddCount(Fields& fields, std::string_view key, std::size_t value) {
  fields.push_back({key, static_cast<std::uint64_t>(value)});
}
void AddNumber(Fields& fields, std::string_view key, std::int64_t value) { fields.push_back({key, value}); }
void AddFlag(Fields& fields, std::string_view key, bool value) { fields.push_back({key, value}); }

// The words that report tools match on.
std::string_view Message(run::Kind kind, const run::Report* report) {
  switch (kind) {
    case run::Kind::kJavaScript:
    case run::Kind::kCell: return report != nullptr ? "code run" : "code run failed";
    case run::Kind::kProject: return report != nullptr ? "project run" : "project run failed";
    case run::Kind::kModule: return report != nullptr ? "module run" : "module run failed";
  }
  return "";  // unreachable: the switch is complete and -Wswitch keeps it so
}

std::size_t BytesOf(const std::vector<run::File>& files) {
  return std::accumulate(files.begin(), files.end(), std::size_t{0},
                         [](std::size_t sum, const run::File& file) { return sum + file.content.size(); });
}

void AddRequest(Fields& fields, const run::Request& request) {
  switch (request.kind()) {
    case run::Kind::kJavaScript:
      AddCount(fields, "code_bytes", request.javascript().code.size());
      Add(fields, "grant_profile", request.grant_profile());
      return;
    case run::Kind::kProject:
      AddCount(fields, "files", request.project().files.size());
      AddCount(fields, "steps", request.project().steps.size());
      AddCount(fields, "total_bytes", BytesOf(request.project().files));
      Add(fields, "grant_profile", request.grant_profile());
      return;
    case run::Kind::kModule:
      Add(fields, "model", request.module().model);
      AddCount(fields, "rows", request.module().rows.size());
      AddCount(fields, "row_width", request.module().rows.front().size());
      AddNumber(fields, "max_steps",
                static_cast<std::int64_t>(std::floor(request.module().end_time / request.module().step)));
      return;
    case run::Kind::kCell:
      Add(fields, "language", request.cell().language);
      AddCount(fields, "code_bytes", request.cell().code.size());
      AddCount(fields, "files", request.cell().files.size());
      return;
  }
}

std::string_view NameOf(run::Outcome outcome) {
  switch (outcome) {
    case run::Outcome::kUnspecified: return "unspecified";
    case run::Outcome::kCompleted: return "completed";
    case run::Outcome::kSetupFailed: return "setup_failed";
    case run::Outcome::kTimedOut: return "timed_out";
    case run::Outcome::kProtocolError: return "protocol_error";
    case run::Outcome::kRunnerFailed: return "runner_failed";
  }
  return "";  // unreachable, as above
}

struct AddResult {
  Fields& fields;

  void operator()(std::monostate) const {}
  void operator()(const run::JavaScriptResult& result) const {
    AddNumber(fields, "exit_code", result.exit_code);
    AddFlag(fields, "timed_out", result.timed_out);
  }
  void operator()(const run::CellResult& result) const {
    (*this)(result.output);
    AddFlag(fields, "interpreter_started", result.interpreter_started);
    AddFlag(fields, "interpreter_ended", result.interpreter_ended);
  }
  void operator()(const run::ProjectResult& result) const {
    Add(fields, "outcome", NameOf(result.outcome));
    Add(fields, "outcome_detail", result.outcome_detail);
    AddCount(fields, "steps_ran", result.steps.size());
    AddNumber(fields, "exit_code", result.steps.empty() ? 0 : result.steps.back().exit_code);
    AddFlag(fields, "timed_out", result.outcome == run::Outcome::kTimedOut);
  }
  void operator()(const run::ModuleResult& result) const {
    Add(fields, "outcome", NameOf(result.outcome));
    Add(fields, "outcome_detail", result.outcome_detail);
    AddCount(fields, "runs", result.runs.size());
    AddNumber(fields, "width", result.width);
  }
};

}  // namespace

void WriteAudit(const AuditEntry& entry, base::LogSink& log) {
  const run::Request& request = entry.call.request;
  Fields fields;
  Add(fields, "op", run::Name(request.kind()));
  Add(fields, "caller", entry.call.principal);
  Add(fields, "sandbox", entry.provider);
  Add(fields, "isolation", isolation::Name(entry.tier));
  AddNumber(fields, "duration_ms", entry.duration.count());
  AddRequest(fields, request);
  if (entry.report != nullptr) {
    std::visit(AddResult{fields}, entry.report->result);
  }
  if (!entry.session.empty()) {
    Add(fields, "session", entry.session);
    AddCount(fields, "session_call", entry.session_call);
  }
  if (request.trace_id_rejected()) {
    AddFlag(fields, "trace_id_rejected", true);
  } else if (!request.trace_id().empty()) {
    Add(fields, "trace_id", request.trace_id());
  }
  if (entry.report == nullptr) {
    Add(fields, "error", entry.error);
  }
  if (!entry.error_id.empty()) {
    Add(fields, "error_id", entry.error_id);
  }
  const auto severity = entry.report == nullptr ? base::Severity::kError : base::Severity::kInfo;
  log.Write(severity, Message(request.kind(), entry.report), fields);
}

}  // namespace plimsoll::dispatch
