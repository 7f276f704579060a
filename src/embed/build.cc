#include "embed/build.h"

#include <algorithm>
#include <string>
#include <vector>

#include "os/executable.h"
#include "providers/disabled/provider.h"
#include "providers/docker/provider.h"
#include "providers/wasm/provider.h"
#include "providers/wasm/worker_program.h"

namespace plimsoll::embed {
namespace {

using Built = base::Result<std::unique_ptr<provider::Provider>>;

using Find = base::Result<std::string> (*)(const std::string& own, const std::string& libexec);

// A helper program of an installed library stands beside the library; that of a program built with it beside the
// program. The second error is the one to show: it names the paths an operator can act on.
base::Result<std::string> FindProgram(Find find, const std::string& libexec) {
  const auto library = os::FileHolding(reinterpret_cast<const void*>(&FindProgram));
  if (library) {
    if (auto found = find(*library, libexec)) {
      return found;
    }
  }
  const auto program = os::OwnExecutable();
  return program ? find(*program, libexec) : program;
}

base::Result<std::string> FindAgent(const std::string& own, const std::string& libexec) {
  return os::FindHelper("plimsoll-guest", "the guest agent", own, libexec);
}

Built BuildWasm(const Options& options, const base::Clock& clock, base::Random& random, base::LogSink& log) {
  auto worker = FindProgram(wasm::FindWorker, options.libexec.string());
  if (!worker) {
    return worker.error();
  }
  auto provider = wasm::Provider::Create({.worker_program = std::move(*worker),
                                          .memory_mb = options.memory_mb,
                                          .max_concurrent = static_cast<std::uint32_t>(options.max_concurrent),
                                          .cores = 0,
                                          .daemon_version = PLIMSOLL_VERSION},
                                         clock, random, log);
  if (!provider) {
    return provider.error();
  }
  return std::unique_ptr<provider::Provider>(std::move(*provider));
}

Built BuildDocker(const Options& options, const base::Clock& clock, base::Random& random, base::LogSink& log) {
  auto agent = FindProgram(FindAgent, options.libexec.string());
  if (!agent) {
    return agent.error();
  }
  docker::Settings settings = DockerSettingsOf(options);
  settings.agent_program = std::move(*agent);
  auto made = docker::Provider::Create(std::move(settings), clock, random, log);
  if (!made) {
    return made.error();
  }
  return std::unique_ptr<provider::Provider>(std::move(*made));
}

}  // namespace

docker::Settings DockerSettingsOf(const Options& options) {
  docker::Settings out;
  const DockerOptions& given = options.docker;
  out.snippet_image = given.image;
  out.project_image = given.project_image;
  out.runtime = given.runtime;
  out.seccomp = given.seccomp;
  out.require_pinned_images = given.require_pinned_images;
  out.guest_uid = given.guest_uid;
  out.memory_mb = options.memory_mb > 0 ? options.memory_mb : out.memory_mb;
  out.cpus = given.cpus > 0 ? given.cpus : out.cpus;
  out.pids = given.pids > 0 ? given.pids : out.pids;
  out.disk_mb = given.disk_mb;
  out.default_platform = given.default_platform;
  out.docker_host = given.host;
  out.docker_context = given.context;
  out.docker_config = given.config;
  out.home = given.home;
  out.max_concurrent = options.max_concurrent;
  out.run_pool = given.run_pool;
  out.daemon_version = PLIMSOLL_VERSION;
  return out;
}

Built BuildProvider(const Options& options, const base::Clock& clock, base::Random& random, base::LogSink& log) {
  if (options.provider.empty()) {
    return std::unique_ptr<provider::Provider>(std::make_unique<disabled::Provider>());
  }
  if (options.provider == "wasm") {
    return BuildWasm(options, clock, random, log);
  }
  if (options.provider == "docker") {
    return BuildDocker(options, clock, random, log);
  }
  return base::Fault{base::FaultKind::kUnavailable,
                     "provider: this build holds wasm and docker, and none when it is empty"};
}

}  // namespace plimsoll::embed
