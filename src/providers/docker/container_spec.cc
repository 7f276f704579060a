#include "providers/docker/container_spec.h"

#include <chrono>
#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "providers/docker/leases.h"

namespace plimsoll::docker {
namespace {

using nlohmann::json;

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kOpenFiles = 4096;

std::string SecondsRoundedUp(base::WallTime at) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(at).time_since_epoch().count());
}

json Writable(const State& state, Role role) {
  json tmpfs = {{"/tmp", TmpfsOptions(kTmpMb)}, {"/dev/shm", TmpfsOptions(kShmMb)}};
  if (role != Role::kSnippet) {
    tmpfs[std::string(kWorkInside)] = TmpfsOptions(state.work_mb) + ",mode=1777";
  }
  return tmpfs;
}

json Binds(const Mounted& mounted) {
  json binds =
      json::array({mounted.agent + ":" + std::string(kAgentInside) + ":ro", mounted.resolver + ":/etc/resolv.conf:ro"});
  if (!mounted.host_socket.empty()) {
    binds.push_back(mounted.host_socket + ":" + std::string(kHostSocketInside) + ":ro");
  }
  return binds;
}

// no-new-privileges always; a seccomp entry only where an operator set one, since its absence means the engine's own
// profile. runsc has a filter of its own and takes none.
json SecurityOptions(const State& state) {
  json options = json::array({"no-new-privileges"});
  if (!state.seccomp.empty() && state.runtime != kRunsc) {
    options.push_back("seccomp=" + state.seccomp);
  }
  return options;
}

// A limit of zero means the built-in one, never none (providers-local.md 1.2).
json Limits(const Settings& settings) {
  const Settings built_in;
  const std::int64_t memory = std::int64_t{settings.memory_mb > 0 ? settings.memory_mb : built_in.memory_mb} * kMiB;
  const double cpus = settings.cpus > 0 ? settings.cpus : built_in.cpus;
  return {{"Memory", memory},
          {"MemorySwap", memory},
          {"PidsLimit", settings.pids > 0 ? settings.pids : built_in.pids},
          {"NanoCpus", std::llround(cpus * 1e9)},
          {"Ulimits", json::array({{{"Name", "core"}, {"Soft", 0}, {"Hard", 0}},
                                   {{"Name", "nofile"}, {"Soft", kOpenFiles}, {"Hard", kOpenFiles}}})}};
}

json HostConfig(const Settings& settings, const State& state, Role role, const Mounted& mounted) {
  json host = Limits(settings);
  host["ReadonlyRootfs"] = true;
  host["Tmpfs"] = Writable(state, role);
  host["Binds"] = Binds(mounted);
  host["CapDrop"] = json::array({"ALL"});
  host["SecurityOpt"] = SecurityOptions(state);
  host["NetworkMode"] = "none";
  host["IpcMode"] = "private";
  host["CgroupnsMode"] = "private";
  host["LogConfig"] = {{"Type", "none"}, {"Config", json::object()}};
  host["Init"] = false;
  host["Privileged"] = false;
  host["PublishAllPorts"] = false;
  host["AutoRemove"] = false;
  host["RestartPolicy"] = {{"Name", "no"}};
  // Stated although they are the engine's defaults: an engine may be configured to other ones.
  for (const char* none : {"CapAdd", "GroupAdd", "Devices", "DeviceRequests", "Links", "VolumesFrom", "ExtraHosts"}) {
    host[none] = json::array();
  }
  host["PortBindings"] = json::object();
  host["PidMode"] = "";
  host["UTSMode"] = "";
  if (!state.runtime.empty()) {
    host["Runtime"] = state.runtime;
  }
  return host;
}

}  // namespace

std::string TmpfsOptions(std::uint32_t size_mb) { return "rw,noexec,nosuid,size=" + std::to_string(size_mb) + "m"; }

std::string ContainerSpec(const Settings& settings, const State& state, Role role, base::WallTime ends,
                          const Mounted& mounted, Purpose purpose) {
  const auto image = state.images.find(role);
  PLIMSOLL_CHECK(image != state.images.end());
  const std::string user = std::to_string(settings.guest_uid);
  json body = {{"Image", image->second.id},
               {"User", user + ":" + user},
               {"Entrypoint", json::array({kAgentInside})},
               {"Cmd", json::array()},
               {"Env", json::array()},
               {"AttachStdin", true},
               {"AttachStdout", true},
               {"AttachStderr", true},
               {"OpenStdin", true},
               {"StdinOnce", true},
               {"Tty", false},
               {"NetworkDisabled", true},
               {"Healthcheck", {{"Test", json::array({"NONE"})}}},
               {"Labels", {{kExpiresLabel, SecondsRoundedUp(ends)}}},
               {"HostConfig", HostConfig(settings, state, role, mounted)}};
  if (purpose == Purpose::kSession) {
    body["Labels"][std::string(kSessionLabel)] = "1";
  }
  if (role != Role::kSnippet) {
    body["WorkingDir"] = kWorkInside;
  }
  // Settings and profiles are text that was checked when it was read; what is not UTF-8 is replaced, never thrown over.
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace plimsoll::docker
