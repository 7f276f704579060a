#include "tools/plimsoll/in_process.h"

#include <optional>
#include <utility>

#include "plimsoll/sandbox.h"
#include "records/probes.h"
#include "records/restate.h"
#include "tools/plimsoll/restate.h"

namespace plimsoll::tool {
namespace {

constexpr std::string_view kSnippetProvider = "wasm";  // where SANDBOX_PROVIDER is unset

// Of a snippet's result or a project's: their members have the same names.
template <typename Result>
Where WhereOf(Result& result) {
  return {.provider = std::move(result.provider),
          .isolation = std::move(result.isolation),
          .environment = std::move(result.environment),
          .software_identity = result.record.software_identity,
          .instance = result.record.instance,
          .duration = result.duration,
          .record = LineOf(result.record)};
}

std::string_view NameOf(ProjectResult::Outcome outcome) {
  switch (outcome) {
    case ProjectResult::Outcome::kCompleted: return "completed";
    case ProjectResult::Outcome::kSetupFailed: return "setup_failed";
    case ProjectResult::Outcome::kTimedOut: return "timed_out";
    case ProjectResult::Outcome::kProtocolError: return "protocol_error";
    case ProjectResult::Outcome::kRunnerFailed: return "runner_failed";
  }
  return "unspecified";  // unreachable: the switch is complete and -Wswitch keeps it so
}

struct ToOutcome {
  Outcome operator()(RunResult&& result) const { return Ran{.output = OutputOf(result), .where = WhereOf(result)}; }

  Outcome operator()(ProjectResult&& result) const {
    ProjectRan out{.outcome = std::string(NameOf(result.outcome)),
                   .outcome_detail = std::move(result.outcome_detail),
                   .artifacts_truncated = result.artifacts_truncated,
                   .where = WhereOf(result)};
    for (ProjectResult::Step& step : result.steps) {
      out.steps.push_back({.command = std::move(step.command), .output = OutputOf(step), .duration = step.duration});
    }
    for (ProjectResult::Artifact& artifact : result.artifacts) {
      out.artifacts.push_back({.path = std::move(artifact.path), .content = std::move(artifact.content)});
    }
    return out;
  }

  Outcome operator()(Refusal&& refusal) const {
    return NothingRan{.reason = std::move(refusal.reason), .message = std::move(refusal.message)};
  }
  Outcome operator()(Fault&& fault) const { return MayHaveRun{.message = std::move(fault.message)}; }
};

plimsoll::Project ProjectOf(const Project& project) {
  plimsoll::Project out{.files = {}, .steps = project.steps, .artifacts = project.artifacts};
  for (const ProjectFile& file : project.files) {
    out.files.push_back({file.path, file.content});
  }
  return out;
}

std::optional<client::PayloadEnvironment> EnvironmentOf(std::string_view identity, std::chrono::milliseconds ceiling) {
  if (identity.empty()) {
    return std::nullopt;
  }
  return client::PayloadEnvironment{.identity = std::string(identity), .max_timeout = ceiling};
}

NothingRan NotStarted(StartError error) { return {.reason = "environment", .message = std::move(error.message)}; }

}  // namespace

Outcome RunInProcess(const RunRequest& request) {
  const auto* project = std::get_if<Project>(&request.payload);
  auto opened = Sandbox::FromEnvironment(project != nullptr ? "docker" : kSnippetProvider);
  if (auto* error = std::get_if<StartError>(&opened)) {
    return NotStarted(std::move(*error));
  }
  auto& sandbox = std::get<Sandbox>(opened);
  RunOptions options;
  options.minimum_isolation = request.minimum_isolation;
  options.timeout = request.timeout;
  if (project != nullptr) {
    return std::visit(ToOutcome{}, sandbox.RunProject(ProjectOf(*project), options));
  }
  return std::visit(ToOutcome{}, sandbox.RunJavaScript(std::get<std::string>(request.payload), options));
}

std::variant<client::Info, NothingRan> DescribeInProcess() {
  auto opened = Sandbox::FromEnvironment(kSnippetProvider);
  if (auto* error = std::get_if<StartError>(&opened)) {
    return NotStarted(std::move(*error));
  }
  const auto& sandbox = std::get<Sandbox>(opened);
  client::Info info{.provider = std::string(sandbox.provider()), .isolation = std::string(sandbox.isolation())};
  info.javascript_environment = EnvironmentOf(sandbox.environment(), sandbox.max_timeout());
  info.project_environment = EnvironmentOf(sandbox.project_environment(), sandbox.project_max_timeout());
  info.supports_project = info.project_environment.has_value();
  return info;
}

std::variant<client::Probes, NothingRan> ProbesInProcess() {
  auto opened = Sandbox::FromEnvironment(kSnippetProvider);
  if (auto* error = std::get_if<StartError>(&opened)) {
    return NotStarted(std::move(*error));
  }
  const auto& sandbox = std::get<Sandbox>(opened);
  auto report = sandbox.probes();
  if (!report) {
    return NothingRan{.message = "the provider " + std::string(sandbox.provider()) + " has no probe report"};
  }
  auto out = records::ProbesHeadAs<client::Probes>(*report);
  out.sha256 = std::move(report->sha256);
  for (Probe& probe : report->probes) {
    out.probes.push_back({.probe = std::move(probe.probe),
                          .outcome = std::move(probe.outcome),
                          .detail_sha256 = records::ProbeDetailDigest(probe.happened),
                          .tried = std::move(probe.tried),
                          .happened = probe.happened,
                          .at_unix_ms = probe.at_unix_ms});
  }
  return out;
}

}  // namespace plimsoll::tool
