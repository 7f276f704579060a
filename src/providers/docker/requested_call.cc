#include "providers/docker/requested_call.h"

#include <algorithm>
#include <string>
#include <utility>

#include "providers/docker/verdict.h"

namespace plimsoll::docker {

using std::chrono::milliseconds;

const Times& TimesOf(run::Kind kind) { return kind == run::Kind::kJavaScript ? kSnippetTimes : kProjectTimes; }

milliseconds BudgetOf(const run::Request& request) {
  const Times& times = TimesOf(request.kind());
  return request.timeout() == milliseconds(0) ? times.default_timeout : std::min(request.timeout(), times.max_timeout);
}

std::optional<base::Refusal> RefuseKindOrGrant(const run::Request& request) {
  if (request.kind() != run::Kind::kJavaScript && request.kind() != run::Kind::kProject) {
    return base::Refusal{base::Rule::kUnsupported, "the docker provider runs javascript and projects, not " +
                                                       std::string(run::Name(request.kind()))};
  }
  if (!request.grant_profile().empty()) {
    return base::Refusal{base::Rule::kUnsupported, "the docker provider serves no grants"};
  }
  return std::nullopt;
}

std::optional<base::Refusal> RefuseState(const run::Request& request, const State& state, Role role) {
  if (auto refusal = isolation::RefuseBelow(request.floor(), state.tier)) {
    return refusal;
  }
  const auto image = state.images.find(role);
  if (image == state.images.end()) {
    return base::Refusal{base::Rule::kUnsupported, "no image is configured for this kind of run"};
  }
  if (!request.any_software() && !request.AllowsSoftware(image->second.software_identity)) {
    return base::Refusal{base::Rule::kSoftwareMismatch,
                         "the software identity of this kind of run is not one that the request allows"};
  }
  return std::nullopt;
}

frames::agent::Kind KindOf(const run::Request& request) {
  return request.kind() == run::Kind::kJavaScript ? frames::agent::Kind::kSnippet : frames::agent::Kind::kProject;
}

frames::agent::Plan PlanOf(const Sandbox& sandbox, const run::Request& request) {
  return request.kind() == run::Kind::kJavaScript ? SnippetPlan(sandbox) : ProjectPlan(sandbox, request.project());
}

std::vector<CallFile> FilesOf(const run::Request& request) {
  if (request.kind() == run::Kind::kJavaScript) {
    return {{.path = "", .content = request.javascript().code}};
  }
  std::vector<CallFile> files;
  for (const run::File& file : request.project().files) {
    files.push_back({.path = file.path, .content = file.content});
  }
  return files;
}

base::Result<run::Result> VerdictOf(const CallEnd& end, CallTranscript& transcript, const run::Request& request,
                                    base::SteadyTime deadline) {
  if (request.kind() == run::Kind::kJavaScript) {
    auto result = SnippetVerdict(end, transcript, deadline);
    return result ? base::Result<run::Result>(std::move(*result)) : std::move(result).error();
  }
  auto result = ProjectVerdict(end, transcript, request.project(), deadline);
  return result ? base::Result<run::Result>(std::move(*result)) : std::move(result).error();
}

run::Report ReportOf(const Sandbox& sandbox, run::Result result, milliseconds duration) {
  const State& state = *sandbox.state();
  const VerifiedImage& image = state.images.at(sandbox.role());
  run::Report report;
  report.provider = "docker";
  report.tier = state.tier;
  report.environment = image.identity;
  report.software_identity = image.software_identity;
  report.duration = duration;
  report.result = std::move(result);
  return report;
}

}  // namespace plimsoll::docker
