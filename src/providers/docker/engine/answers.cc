#include "providers/docker/engine/answers.h"

#include <algorithm>
#include <utility>

#include "providers/docker/engine/bounded_json.h"
#include "providers/docker/engine/members.h"
#include "providers/docker/engine/names.h"

namespace plimsoll::docker {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxErrorText = 1024;

// Parses `text` and lets `read` take it apart; a breach makes the whole malformed.
template <typename T, typename Read>
Parsed<T> Parse(std::string_view text, Read read) {
  const auto document = ParseBounded(text);
  if (!document) {
    return Malformed{"the answer is not JSON within the bounds"};
  }
  Breach breach;
  T value = read(*document, breach);
  if (breach.found()) {
    return Malformed{"in the answer " + breach.why()};
  }
  return value;
}

std::string Id(const Members& members, std::string_view name, Breach& breach) {
  std::string id = members.Text(name, Need::kRequired);
  if (!breach.found() && !IsContainerId(id)) {
    breach.Note(name, "is not 64 hex digits");
  }
  return id;
}

std::string ImageId(const Members& members, std::string_view name, Breach& breach) {
  std::string id = members.Text(name, Need::kRequired);
  if (!breach.found() && !IsSha256Id(id)) {
    breach.Note(name, "is not `sha256:` and 64 hex digits");
  }
  return id;
}

void ReadRuntimes(const Members& info, EngineInfo& into, Breach& breach) {
  const json* runtimes = info.Object("Runtimes", Need::kOptional);
  if (runtimes == nullptr) {
    return;
  }
  if (runtimes->size() > kMaxItems) {
    breach.Note("Runtimes", "has too many items");
    return;
  }
  for (const auto& item : runtimes->items()) {
    const Members runtime(item.value(), "Runtimes", breach);
    into.runtimes[item.key()] = runtime.Text("path", Need::kOptional);
    into.runtime_arguments[item.key()] = runtime.Texts("runtimeArgs");
  }
}

// DriverStatus is a list of pairs of texts.
bool HasContainerdStore(const Members& info, Breach& breach) {
  const json* status = info.Array("DriverStatus");
  if (status == nullptr) {
    return false;
  }
  bool found = false;
  for (const json& pair : *status) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) {
      breach.Note("DriverStatus", "is not a list of pairs of texts");
      return false;
    }
    found = found || (pair[0] == "driver-type" && pair[1] == "io.containerd.snapshotter.v1");
  }
  return found;
}

EngineInfo ReadInfo(const json& document, Breach& breach) {
  const Members members(document, "info", breach);
  EngineInfo info;
  ReadRuntimes(members, info, breach);
  info.default_runtime = members.Text("DefaultRuntime", Need::kRequired);
  info.cgroup_version = members.Text("CgroupVersion", Need::kOptional);
  info.cgroup_driver = members.Text("CgroupDriver", Need::kOptional);
  info.containerd_store = HasContainerdStore(members, breach);
  info.memory_limit = members.Flag("MemoryLimit");
  info.swap_limit = members.Flag("SwapLimit");
  info.pids_limit = members.Flag("PidsLimit");
  info.cpu_quota = members.Flag("CpuCfsQuota");
  info.security_options = members.Texts("SecurityOptions");
  return info;
}

EngineVersion ReadVersion(const json& document, Breach& breach) {
  const Members members(document, "version", breach);
  EngineVersion version;
  version.engine = members.Text("Version", Need::kRequired);
  version.api = members.Text("ApiVersion", Need::kRequired);
  version.least_api = members.Text("MinAPIVersion", Need::kOptional);
  version.os = members.Text("Os", Need::kRequired);
  version.architecture = members.Text("Arch", Need::kRequired);
  version.kernel = members.Text("KernelVersion", Need::kOptional);
  if (const json* components = members.Array("Components"); components != nullptr) {
    for (const json& item : *components) {
      const Members component(item, "Components", breach);
      std::string name = component.Text("Name", Need::kRequired);
      version.components[std::move(name)] = component.Text("Version", Need::kRequired);
    }
  }
  return version;
}

EngineImage ReadImage(const json& document, Breach& breach) {
  const Members members(document, "image", breach);
  EngineImage image;
  image.id = ImageId(members, "Id", breach);
  image.repo_digests = members.Texts("RepoDigests");
  image.os = members.Text("Os", Need::kRequired);
  image.architecture = members.Text("Architecture", Need::kRequired);
  image.variant = members.Text("Variant", Need::kOptional);
  if (const json* config = members.Object("Config", Need::kRequired); config != nullptr) {
    const Members settings(*config, "Config", breach);
    image.environment = settings.Texts("Env");
    image.volumes = settings.Keys("Volumes");
    image.labels = settings.TextsByName("Labels");
  }
  if (const json* descriptor = members.Object("Descriptor", Need::kOptional); descriptor != nullptr) {
    const Members described(*descriptor, "Descriptor", breach);
    image.descriptor_digest = described.Text("digest", Need::kRequired);
    image.descriptor_media_type = described.Text("mediaType", Need::kRequired);
  }
  return image;
}

ContainerState::Status ReadStatus(std::string_view text, Breach& breach) {
  using Status = ContainerState::Status;
  constexpr std::pair<std::string_view, Status> kStatuses[] = {
      {"created", Status::kCreated},   {"running", Status::kRunning},
      {"paused", Status::kPaused},     {"restarting", Status::kRestarting},
      {"removing", Status::kRemoving}, {"exited", Status::kExited},
      {"dead", Status::kDead},
  };
  for (const auto& [name, status] : kStatuses) {
    if (name == text) {
      return status;
    }
  }
  breach.Note("State.Status", "is none of the known words");
  return Status::kDead;
}

ContainerState ReadContainer(const json& document, Breach& breach) {
  const Members members(document, "container", breach);
  ContainerState state{.status = ContainerState::Status::kDead, .runtime = {}, .image = {}};
  state.image = ImageId(members, "Image", breach);
  if (const json* now = members.Object("State", Need::kRequired); now != nullptr) {
    const Members fields(*now, "State", breach);
    state.status = ReadStatus(fields.Text("Status", Need::kRequired), breach);
    state.exit_code = fields.Integer("ExitCode");
    state.oom_killed = fields.Flag("OOMKilled");
    state.pid = fields.Integer("Pid");
  }
  if (const json* host = members.Object("HostConfig", Need::kRequired); host != nullptr) {
    state.runtime = Members(*host, "HostConfig", breach).Text("Runtime", Need::kOptional);
  }
  return state;
}

// The document has passed as UTF-8, so nothing of it is replaced here.
std::string AsJson(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

ContainerRecord ReadRecord(const json& document, Breach& breach) {
  ContainerRecord record{
      .state = ReadContainer(document, breach), .user = {}, .settings = {}, .mounts = {}, .networks = {}};
  const Members members(document, "container", breach);
  if (const json* config = members.Object("Config", Need::kRequired); config != nullptr) {
    record.user = Members(*config, "Config", breach).Text("User", Need::kOptional);
  }
  if (const json* host = members.Object("HostConfig", Need::kRequired); host != nullptr) {
    for (const auto& item : host->items()) {
      record.settings.emplace(item.key(), AsJson(item.value()));
    }
  }
  if (const json* mounts = members.Array("Mounts"); mounts != nullptr) {
    for (const json& mount : *mounts) {
      record.mounts.push_back(AsJson(mount));
    }
  }
  std::ranges::sort(record.mounts);
  if (const json* network = members.Object("NetworkSettings", Need::kRequired); network != nullptr) {
    record.networks = Members(*network, "NetworkSettings", breach).Keys("Networks");
  }
  std::ranges::sort(record.networks);
  return record;
}

std::vector<ContainerListed> ReadList(const json& document, Breach& breach) {
  std::vector<ContainerListed> listed;
  if (!document.is_array()) {
    breach.Note("containers", "is not a list");
    return listed;
  }
  listed.reserve(document.size());
  for (const json& item : document) {
    const Members members(item, "container", breach);
    ContainerListed& one = listed.emplace_back();
    one.id = Id(members, "Id", breach);
    one.names = members.Texts("Names");
    one.labels = members.TextsByName("Labels");
    for (std::string& name : one.names) {
      if (name.starts_with('/')) {
        name.erase(0, 1);
      }
    }
  }
  return listed;
}

}  // namespace

Parsed<EngineVersion> ParseVersion(std::string_view text) { return Parse<EngineVersion>(text, ReadVersion); }
Parsed<EngineInfo> ParseInfo(std::string_view text) { return Parse<EngineInfo>(text, ReadInfo); }
Parsed<EngineImage> ParseImage(std::string_view text) { return Parse<EngineImage>(text, ReadImage); }
Parsed<ContainerState> ParseContainer(std::string_view text) { return Parse<ContainerState>(text, ReadContainer); }
Parsed<ContainerRecord> ParseRecord(std::string_view text) { return Parse<ContainerRecord>(text, ReadRecord); }
Parsed<std::vector<ContainerListed>> ParseList(std::string_view text) {
  return Parse<std::vector<ContainerListed>>(text, ReadList);
}

Parsed<Created> ParseCreated(std::string_view text) {
  return Parse<Created>(text, [](const json& document, Breach& breach) {
    return Created{.id = Id(Members(document, "created", breach), "Id", breach)};
  });
}

std::string ErrorText(std::string_view text) {
  std::string words(text);
  if (const auto document = ParseBounded(text); document && document->is_object()) {
    const auto message = document->find("message");
    if (message != document->end() && message->is_string()) {
      words = *message->get_ptr<const std::string*>();
    }
  }
  words.resize(std::min(words.size(), kMaxErrorText));
  return words;
}

}  // namespace plimsoll::docker
