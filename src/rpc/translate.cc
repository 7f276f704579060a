#include "rpc/translate.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "run/limits.h"

namespace plimsoll::rpc {
namespace {

// What a caller is told that states no number, or one this daemon has never heard of (wire.md 2).
constexpr std::uint32_t kDescribedByDefault = 4;

// Takes the elements out of a repeated string field.
template <typename Repeated>
std::vector<std::string> TakeTexts(Repeated& from) {
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(from.size()));
  for (std::string& text : from) {
    texts.push_back(std::move(text));
  }
  return texts;
}

template <typename Repeated>
std::vector<run::File> TakeFiles(Repeated& from) {
  std::vector<run::File> files;
  files.reserve(static_cast<std::size_t>(from.size()));
  for (v1::ProjectFile& file : from) {
    files.push_back({std::move(*file.mutable_path()), std::move(*file.mutable_content())});
  }
  return files;
}

run::JavaScript SnippetOf(v1::JavaScriptRun& message) {
  return {std::move(*message.mutable_code()), std::move(*message.mutable_grant_profile())};
}

run::Project ProjectOf(v1::ProjectRun& message) {
  return {TakeFiles(*message.mutable_files()), TakeTexts(*message.mutable_steps()),
          TakeTexts(*message.mutable_artifacts()), std::move(*message.mutable_grant_profile())};
}

run::Module ModuleOf(v1::ModuleRun& message) {
  run::Module module{std::move(*message.mutable_model()), {}, message.end_time(), message.step()};
  module.rows.reserve(static_cast<std::size_t>(message.rows_size()));
  for (const v1::ModuleRow& row : message.rows()) {
    module.rows.emplace_back(row.values().begin(), row.values().end());
  }
  return module;
}

run::Cell CellOf(v1::CellRun& message) {
  return {std::move(*message.mutable_language()), std::move(*message.mutable_code()),
          TakeFiles(*message.mutable_files())};
}

run::Payload PayloadOf(v1::RunRequest& message) {
  switch (message.payload_case()) {
    case v1::RunRequest::kJavascript: return SnippetOf(*message.mutable_javascript());
    case v1::RunRequest::kProject: return ProjectOf(*message.mutable_project());
    case v1::RunRequest::kModule: return ModuleOf(*message.mutable_module());
    case v1::RunRequest::kCell: return CellOf(*message.mutable_cell());
    case v1::RunRequest::PAYLOAD_NOT_SET: return std::monostate();
  }
  return std::monostate();  // unreachable: the switch is complete and -Wswitch keeps it so
}

run::Payload PayloadOf(v1::SessionRunRequest& message) {
  switch (message.payload_case()) {
    case v1::SessionRunRequest::kJavascript: return SnippetOf(*message.mutable_javascript());
    case v1::SessionRunRequest::kProject: return ProjectOf(*message.mutable_project());
    case v1::SessionRunRequest::kCell: return CellOf(*message.mutable_cell());
    case v1::SessionRunRequest::PAYLOAD_NOT_SET: return std::monostate();
  }
  return std::monostate();  // unreachable, as above
}

// The numbers of the two enums are the same by contract: run/result.h, wire.md 5.
v1::ProjectOutcome OutcomeOf(run::Outcome outcome) { return static_cast<v1::ProjectOutcome>(outcome); }

void Put(v1::JavaScriptResult& out, run::JavaScriptResult&& result) {
  out.set_stdout(std::move(result.stdout_bytes));
  out.set_stderr(std::move(result.stderr_bytes));
  out.set_exit_code(result.exit_code);
  out.set_timed_out(result.timed_out);
  out.set_stdout_truncated(result.stdout_truncated);
  out.set_stderr_truncated(result.stderr_truncated);
}

void Put(v1::StepResult& out, run::StepResult&& step) {
  out.set_command(std::move(step.command));
  out.set_stdout(std::move(step.stdout_bytes));
  out.set_stderr(std::move(step.stderr_bytes));
  out.set_exit_code(step.exit_code);
  out.set_timed_out(step.timed_out);
  out.set_duration_ms(step.duration.count());
  out.set_stdout_truncated(step.stdout_truncated);
  out.set_stderr_truncated(step.stderr_truncated);
}

void Put(v1::ProjectResult& out, run::ProjectResult&& result) {
  for (run::StepResult& step : result.steps) {
    Put(*out.add_steps(), std::move(step));
  }
  out.set_outcome(OutcomeOf(result.outcome));
  out.set_outcome_detail(std::move(result.outcome_detail));
  for (run::Artifact& artifact : result.artifacts) {
    v1::Artifact& sent = *out.add_artifacts();
    sent.set_path(std::move(artifact.path));
    sent.set_content(std::move(artifact.content));
  }
  out.set_artifacts_truncated(result.artifacts_truncated);
}

void Put(v1::ModuleResult& out, run::ModuleResult&& result) {
  for (const run::ModuleRow& row : result.runs) {
    v1::ModuleRowResult& sent = *out.add_runs();
    sent.set_status(row.status);
    sent.mutable_outputs()->Add(row.outputs.begin(), row.outputs.end());
  }
  out.set_width(result.width);
  out.set_outcome(OutcomeOf(result.outcome));
  out.set_outcome_detail(std::move(result.outcome_detail));
  out.set_stdout(std::move(result.stdout_bytes));
  out.set_stderr(std::move(result.stderr_bytes));
}

void Put(v1::CellResult& out, run::CellResult&& result) {
  out.set_stdout(std::move(result.output.stdout_bytes));
  out.set_stderr(std::move(result.output.stderr_bytes));
  out.set_exit_code(result.output.exit_code);
  out.set_timed_out(result.output.timed_out);
  out.set_stdout_truncated(result.output.stdout_truncated);
  out.set_stderr_truncated(result.output.stderr_truncated);
  out.set_interpreter_started(result.interpreter_started);
  out.set_interpreter_ended(result.interpreter_ended);
}

struct PutResult {
  v1::RunResponse& out;
  void operator()(std::monostate) const {}
  void operator()(run::JavaScriptResult& result) const { Put(*out.mutable_javascript(), std::move(result)); }
  void operator()(run::ProjectResult& result) const { Put(*out.mutable_project(), std::move(result)); }
  void operator()(run::ModuleResult& result) const { Put(*out.mutable_module(), std::move(result)); }
  void operator()(run::CellResult& result) const { Put(*out.mutable_cell(), std::move(result)); }
};

void Put(v1::RunRecord& out, records::Record&& record) {
  out.set_version(record.version);
  out.set_request_sha256(std::move(record.request_sha256));
  out.set_result_sha256(std::move(record.result_sha256));
  out.set_provider(std::move(record.provider));
  out.set_isolation(std::move(record.isolation));
  out.set_environment(std::move(record.environment));
  out.set_policy(std::move(record.policy));
  out.set_started_unix_ms(record.started_unix_ms);
  out.set_ended_unix_ms(record.ended_unix_ms);
  out.set_session(std::move(record.session));
  out.set_sequence(record.sequence);
  out.set_previous_sha256(std::move(record.previous_sha256));
  out.set_record_sha256(std::move(record.record_sha256));
  out.set_software_identity(std::move(record.software_identity));
  out.set_software_rule_id(std::move(record.software_rule_id));
  out.set_unanswered(std::move(record.unanswered));
  out.set_instance(std::move(record.instance));
}

std::uint32_t WireMs(std::chrono::milliseconds time, std::chrono::milliseconds most = run::kMaxTimeout) {
  return static_cast<std::uint32_t>(
      std::clamp<std::chrono::milliseconds>(time, std::chrono::milliseconds(0), most).count());
}

constexpr std::chrono::milliseconds kLongestLifetime = std::chrono::hours(12);  // of a session: sessions.md 2

void Put(v1::PayloadEnvironment& out, const isolation::Environment& environment) {
  out.set_identity(base::RepairUtf8(environment.identity));
  out.set_max_timeout_ms(WireMs(environment.max_timeout));
  out.set_software_identity(base::RepairUtf8(environment.software_identity));
  for (const std::string& language : environment.languages) {
    out.add_languages(base::RepairUtf8(language));
  }
}

void Put(v1::RunResources& out, const isolation::Resources& resources) {
  out.set_memory_mb(resources.memory_mb);
  out.set_cpus(resources.cpus);
  out.set_pids(resources.pids);
  out.set_disk_mb(resources.disk_mb);
}

void Put(v1::DescribeResponse& out, const isolation::Environment& environment, const sessions::Options& kept) {
  out.set_supports_sessions(true);
  out.set_session_lifetime_ms(WireMs(kept.lifetime, kLongestLifetime));
  out.set_session_idle_timeout_ms(WireMs(kept.idle, kLongestLifetime));
  Put(*out.mutable_session_environment(), environment);
  out.set_max_sessions_per_caller(static_cast<std::uint32_t>(kept.caps.per_caller));
  out.set_max_sessions_per_owner(static_cast<std::uint32_t>(kept.caps.per_owner));
}

template <typename Message>
run::Draft DraftFrom(Message& message) {
  return {.protocol = message.protocol(),
          .minimum_isolation = std::move(*message.mutable_minimum_isolation()),
          .trace_id = std::move(*message.mutable_trace_id()),
          .timeout_ms = message.timeout_ms(),
          .software_rule = RuleOf(message.software_rule()),
          .payload = PayloadOf(message)};
}

}  // namespace

run::SoftwareRuleDraft RuleOf(const v1::SoftwareRule& rule) {
  return {rule.mode(), {rule.identities().begin(), rule.identities().end()}};
}

run::Draft DraftOf(v1::SessionRunRequest&& message) { return DraftFrom(message); }
run::Draft DraftOf(v1::RunRequest&& message) { return DraftFrom(message); }

v1::RunRecord MessageOf(records::Record record) {
  v1::RunRecord out;
  Put(out, std::move(record));
  return out;
}

v1::RunResponse ResponseOf(dispatch::Answer&& answer) {
  v1::RunResponse out;
  run::Report& report = answer.report;
  out.set_sandbox(std::move(report.provider));
  out.set_isolation(std::string(isolation::Name(report.tier)));
  out.set_duration_ms(report.duration.count());
  Put(*out.mutable_record(), std::move(answer.record));
  out.set_software_identity(std::move(report.software_identity));
  out.set_environment(std::move(report.environment));
  out.set_instance(std::move(report.instance));
  std::visit(PutResult{out}, report.result);
  return out;
}

v1::DescribeResponse DescriptionOf(const isolation::Profile& offer, isolation::StatedTier tier,
                                   const sessions::Options& kept, std::uint32_t protocol) {
  v1::DescribeResponse out;
  out.set_sandbox(base::RepairUtf8(offer.provider));
  out.set_isolation(std::string(isolation::Name(tier)));
  out.set_supports_project(offer.project.has_value());
  out.set_supports_javascript_grants(offer.javascript_grants);
  out.set_supports_project_grants(offer.project_grants);
  out.set_supports_module(offer.module.has_value());
  const bool newest = protocol == std::ranges::max(run::kServedProtocols);
  out.set_protocol(newest ? protocol : kDescribedByDefault);
  if (offer.javascript) {
    Put(*out.mutable_javascript_environment(), *offer.javascript);
  }
  if (offer.project) {
    Put(*out.mutable_project_environment(), *offer.project);
  }
  if (offer.module) {
    Put(*out.mutable_module_environment(), *offer.module);
  }
  if (offer.session && kept.caps.max > 0) {
    Put(out, *offer.session, kept);
  }
  Put(*out.mutable_resources(), offer.resources);
  out.set_policy(base::RepairUtf8(offer.policy));
  for (const std::uint32_t served : run::kServedProtocols) {
    out.add_protocols(served);
  }
  return out;
}

}  // namespace plimsoll::rpc
