#include "daemon/docker_settings.h"

#include "daemon/version.h"

namespace plimsoll::daemon {

docker::Settings DockerSettingsIn(SettingsReader& read, const isolation::Resources& envelope) {
  docker::Settings docker;
  const auto text = [&read](Id id) { return read.Text(id).value_or(""); };
  docker.snippet_image = text(Id::kDockerImage);
  docker.project_image = text(Id::kDockerProjectImage);
  docker.runtime = text(Id::kDockerRuntime);
  docker.seccomp = text(Id::kDockerSeccomp);
  docker.memory_mb = envelope.memory_mb > 0 ? envelope.memory_mb : docker.memory_mb;
  docker.cpus = envelope.cpus > 0 ? envelope.cpus : docker.cpus;
  docker.pids = envelope.pids > 0 ? envelope.pids : docker.pids;
  docker.disk_mb = envelope.disk_mb;
  docker.default_platform = text(Id::kDockerDefaultPlatform);
  docker.docker_host = text(Id::kDockerHost);
  docker.docker_context = text(Id::kDockerContext);
  docker.docker_config = text(Id::kDockerConfig);
  docker.home = text(Id::kHome);
  docker.daemon_version = Version();
  return docker;
}

}  // namespace plimsoll::daemon
