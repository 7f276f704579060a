#include "tools/plimsoll/remote.h"

#include <utility>

#include "tools/plimsoll/restate.h"

namespace plimsoll::tool {
namespace {

client::Result<client::Client> ClientOf(const Daemon& daemon) {
  return client::Client::Create({.base_url = daemon.url,
                                 .token = daemon.token,
                                 .insecure_http = daemon.insecure_http,
                                 .ca_file = daemon.ca_file});
}

Outcome OutcomeOf(const client::Error& error) {
  if (error.not_dispatched) {
    return NothingRan{.reason = std::string(client::Name(*error.not_dispatched)),
                      .error = std::string(client::Name(error.error_class)),
                      .code = std::string(client::Name(error.code)),
                      .message = error.message,
                      .retry_after = error.retry_after};
  }
  return MayHaveRun{.error = std::string(client::Name(error.error_class)),
                    .code = std::string(client::Name(error.code)),
                    .message = error.message};
}

Where WhereOf(client::Evidence evidence) {
  Where where{.provider = std::move(evidence.provider),
              .isolation = std::move(evidence.isolation),
              .environment = std::move(evidence.environment),
              .software_identity = std::move(evidence.software_identity),
              .instance = std::move(evidence.instance),
              .duration = evidence.duration};
  if (evidence.record) {
    where.record = LineOf(*evidence.record);
  }
  return where;
}

Outcome OutcomeOf(client::JavaScriptResult result) {
  Where where = WhereOf(std::move(result.evidence));
  return Ran{.output = OutputOf(result), .where = std::move(where)};
}

Outcome OutcomeOf(client::ProjectResult result) {
  ProjectRan out{.outcome = std::string(client::Name(result.outcome)),
                 .outcome_detail = std::move(result.outcome_detail),
                 .artifacts_truncated = result.artifacts_truncated,
                 .where = WhereOf(std::move(result.evidence))};
  for (client::StepResult& step : result.steps) {
    out.steps.push_back({.command = std::move(step.command), .output = OutputOf(step), .duration = step.duration});
  }
  for (client::Artifact& artifact : result.artifacts) {
    out.artifacts.push_back({.path = std::move(artifact.path), .content = std::move(artifact.content)});
  }
  return out;
}

client::Project ProjectOf(const Project& project) {
  client::Project out{.files = {}, .steps = project.steps, .artifacts = project.artifacts};
  for (const ProjectFile& file : project.files) {
    out.files.push_back({file.path, file.content});
  }
  return out;
}

template <typename Result>
Outcome OutcomeOf(client::Result<Result> result) {
  return result ? OutcomeOf(*std::move(result)) : OutcomeOf(result.error());
}

}  // namespace

Outcome RunOnDaemon(const Daemon& daemon, const RunRequest& request) {
  const auto made = ClientOf(daemon);
  if (!made) {
    return OutcomeOf(made.error());
  }
  const client::RunOptions options{.timeout = request.timeout, .minimum_isolation = request.minimum_isolation};
  if (const auto* project = std::get_if<Project>(&request.payload)) {
    return OutcomeOf(made->RunProject(ProjectOf(*project), options));
  }
  return OutcomeOf(made->RunJavaScript(std::get<std::string>(request.payload), options));
}

std::variant<client::Probes, NothingRan> ProbesOfDaemon(const Daemon& daemon) {
  const auto made = ClientOf(daemon);
  auto probes = made ? made->ProbeReport() : client::Result<client::Probes>(made.error());
  if (!probes) {
    return NothingRan{.message = probes.error().message};
  }
  return *std::move(probes);
}

std::variant<client::Info, NothingRan> DescribeDaemon(const Daemon& daemon) {
  const auto made = ClientOf(daemon);
  auto info = made ? made->Describe() : client::Result<client::Info>(made.error());
  if (!info) {
    return NothingRan{.message = info.error().message};
  }
  return *std::move(info);
}

}  // namespace plimsoll::tool
