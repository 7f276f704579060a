#include <unistd.h>

#include <string_view>
#include <vector>

#include "embed/build.h"
#include "settings/environment.h"
#include "settings/reader.h"

namespace plimsoll::embed {
namespace {

using settings::Id;

settings::Environment OwnEnvironment() {
  settings::Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return environment;
}

// What no range of the table bounds is judged by the provider's preflight.
void ReadDocker(settings::SettingsReader& reader, DockerOptions& docker) {
  const auto text = [&reader](Id id) { return reader.Text(id).value_or(""); };
  docker.image = text(Id::kDockerImage);
  docker.project_image = text(Id::kDockerProjectImage);
  docker.runtime = text(Id::kDockerRuntime);
  docker.seccomp = text(Id::kDockerSeccomp);
  docker.require_pinned_images = reader.Bool(Id::kRequirePinnedImages);
  docker.guest_uid = static_cast<std::uint32_t>(reader.Int(Id::kGuestUid).value_or(docker.guest_uid));
  docker.cpus = reader.Float(Id::kCpus).value_or(0);
  docker.pids = static_cast<std::uint32_t>(reader.Int(Id::kPids).value_or(0));
  docker.disk_mb = static_cast<std::uint32_t>(reader.Int(Id::kDiskMb).value_or(0));
  docker.host = text(Id::kDockerHost);
  docker.context = text(Id::kDockerContext);
  docker.config = text(Id::kDockerConfig);
  docker.home = text(Id::kHome);
  docker.default_platform = text(Id::kDockerDefaultPlatform);
  docker.run_pool = static_cast<int>(reader.Int(Id::kRunPool).value_or(0));
}

// A dimension that the wasm provider cannot enforce must not look applied (daemon.md 2.4).
std::string_view UnenforcedByWasm(const DockerOptions& docker) {
  if (docker.cpus > 0) {
    return settings::SettingOf(Id::kCpus).name;
  }
  if (docker.pids > 0) {
    return settings::SettingOf(Id::kPids).name;
  }
  return docker.disk_mb > 0 ? settings::SettingOf(Id::kDiskMb).name : std::string_view();
}

base::Fault Unfit(std::string_view setting, std::string_view why) {
  return {base::FaultKind::kUnavailable, std::string(setting) + ": " + std::string(why)};
}

}  // namespace

base::Result<Options> OptionsFromEnvironment(std::string_view provider_when_unset) {
  const settings::Environment environment = OwnEnvironment();
  std::vector<settings::StartError> errors;
  settings::SettingsReader reader(environment, errors);
  Options options;
  options.provider = reader.Choice(Id::kProvider).value_or(std::string(provider_when_unset));
  options.minimum_isolation = reader.Choice(Id::kMinIsolation).value_or("");
  options.memory_mb = static_cast<std::uint32_t>(reader.Int(Id::kMemoryMb).value_or(0));
  options.max_concurrent = static_cast<int>(reader.Int(Id::kMaxConcurrent).value_or(options.max_concurrent));
  options.libexec = reader.Text(Id::kLibexec).value_or("");
  ReadDocker(reader, options.docker);
  if (!errors.empty()) {
    return Unfit(errors.front().setting, errors.front().message);
  }
  if (const auto setting = UnenforcedByWasm(options.docker); options.provider == "wasm" && !setting.empty()) {
    return Unfit(setting, "the provider wasm cannot enforce it: it enforces memory only");
  }
  if (reader.Text(Id::kDockerModuleImage)) {
    return Unfit(settings::SettingOf(Id::kDockerModuleImage).name, "modules are not built yet; leave it unset");
  }
  return options;
}

}  // namespace plimsoll::embed
