#include "providers/docker/plans.h"

#include "base/check.h"
#include "providers/docker/container_spec.h"
#include "providers/docker/environment.h"

namespace plimsoll::docker {
namespace {

std::vector<std::string> EnvironmentFor(const Sandbox& sandbox, const std::vector<std::string>& own) {
  const auto image = sandbox.state()->images.find(sandbox.role());
  PLIMSOLL_CHECK(image != sandbox.state()->images.end());
  return GuestEnvironment(sandbox.id(), image->second.environment, own);
}

}  // namespace

frames::agent::Plan SnippetPlan(const Sandbox& sandbox) {
  frames::agent::Plan plan;
  plan.argv = {"node", "-"};
  plan.environment = EnvironmentFor(sandbox, {});
  plan.stream_cap = kSnippetStreamCap;
  return plan;
}

frames::agent::Plan ProjectPlan(const Sandbox& sandbox, const run::Project& project) {
  frames::agent::Plan plan;
  plan.steps = project.steps;
  plan.environment = EnvironmentFor(sandbox, {});
  plan.directory = kWorkInside;
  plan.artifacts = project.artifacts;
  plan.stream_cap = kStepStreamCap;
  plan.total_cap = kStepsTotalCap;
  plan.artifact_cap = kArtifactsCap;
  return plan;
}

}  // namespace plimsoll::docker
