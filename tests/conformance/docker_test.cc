// The docker provider as a daemon makes it, smoke test and pool included, under the runtime that
// PLIMSOLL_CONFORMANCE_RUNTIME names. One program run a runtime, so that the smoke test is paid for once.
#include <cstdlib>
#include <string>

#include "providers/docker/provider.h"
#include "providers/docker/testing/live_provider.h"
#include "tests/conformance/suite.h"

namespace plimsoll::conformance {
namespace {

std::string Runtime() {
  const char* name = std::getenv("PLIMSOLL_CONFORMANCE_RUNTIME");
  return name == nullptr ? "runc" : name;
}

const Candidate& Docker() {
  static const Candidate& candidate =
      *new Candidate{.name = "docker_" + Runtime(),
                     .tier = Runtime() == "runsc" ? isolation::Tier::kKernel : isolation::Tier::kContainer,
                     .abilities = static_cast<std::uint32_t>(testkit::Ability::kNode) |
                                  static_cast<std::uint32_t>(testkit::Ability::kProjects),
                     .make = [](const base::Clock& clock, base::Random& random,
                                base::LogSink& log) -> base::Result<std::unique_ptr<provider::Provider>> {
                       const char* host = std::getenv("PLIMSOLL_TEST_DOCKER_HOST");
                       if (host == nullptr) {
                         return base::Fault{base::FaultKind::kUnavailable, "PLIMSOLL_TEST_DOCKER_HOST names no engine"};
                       }
                       docker::Settings settings = docker::LiveSettings(Runtime());
                       settings.docker_host = host;
                       settings.max_concurrent = 4;
                       settings.run_pool = 2;
                       auto made = docker::Provider::Create(std::move(settings), clock, random, log);
                       if (!made) {
                         return made.error();
                       }
                       return std::unique_ptr<provider::Provider>(std::move(*made));
                     }};
  return candidate;
}

const bool kRegistered = [] {
  RegisterLaws(Docker());
  return true;
}();

}  // namespace
}  // namespace plimsoll::conformance
