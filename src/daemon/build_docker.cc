#include "daemon/build_docker.h"

#include <utility>

#include "os/executable.h"
#include "providers/docker/provider.h"

namespace plimsoll::daemon {

base::Result<std::string> DockerAgent(const ProviderSettings& settings) {
  const auto self = os::OwnExecutable();
  if (!self) {
    return self.error();
  }
  return os::FindHelper("plimsoll-guest", "the guest agent", *self, settings.libexec);
}

base::Result<std::unique_ptr<provider::Provider>> BuildDocker(const ProviderSettings& settings,
                                                              const base::Clock& clock, base::Random& random,
                                                              base::LogSink& log) {
  auto agent = DockerAgent(settings);
  if (!agent) {
    return agent.error();
  }
  docker::Settings docker = settings.docker;
  docker.agent_program = std::move(*agent);
  auto made = docker::Provider::Create(std::move(docker), clock, random, log);
  if (!made) {
    return made.error();
  }
  return std::unique_ptr<provider::Provider>(std::move(*made));
}

}  // namespace plimsoll::daemon
