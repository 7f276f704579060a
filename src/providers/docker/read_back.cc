#include "providers/docker/read_back.h"

#include <utility>
#include <vector>

namespace plimsoll::docker {
namespace {

using run::SessionEnd;
using run::SessionEnded;
using Status = ContainerState::Status;

// A container whose network is disabled is in none at all, or in the one of that name.
bool HasNetwork(const std::vector<std::string>& names) {
  return !names.empty() && (names.size() > 1 || names.front() != "none");
}

std::string SettingOf(const ContainerRecord& record, const std::string& name) {
  const auto found = record.settings.find(name);
  return found == record.settings.end() ? std::string() : found->second;
}

// The first member that is in one and not in the other, or differs.
std::string SettingThatDiffers(const ContainerRecord& now, const ContainerRecord& opened) {
  for (const auto& [name, value] : opened.settings) {
    const auto found = now.settings.find(name);
    if (found == now.settings.end() || found->second != value) {
      return name;
    }
  }
  for (const auto& [name, value] : now.settings) {
    if (!opened.settings.contains(name)) {
      return name;
    }
  }
  return {};
}

}  // namespace

std::optional<std::string> FlawOf(const ContainerRecord& made, const std::string& image) {
  if (made.state.image != image) {
    return "it is made from another image";
  }
  if (made.state.status != Status::kRunning) {
    return "it is not running";
  }
  if (SettingOf(made, "NetworkMode") != "\"none\"" || HasNetwork(made.networks)) {
    return "it has a network";
  }
  if (SettingOf(made, "ReadonlyRootfs") != "true") {
    return "its root can be written to";
  }
  if (SettingOf(made, "Privileged") != "false") {
    return "it is privileged";
  }
  const std::string added = SettingOf(made, "CapAdd");
  if (added != "null" && added != "[]") {
    return "it has capabilities";
  }
  return std::nullopt;
}

std::string DifferenceOf(const ContainerRecord& now, const ContainerRecord& opened) {
  if (now.state.image != opened.state.image) {
    return "image";
  }
  if (now.user != opened.user) {
    return "user";
  }
  if (const std::string name = SettingThatDiffers(now, opened); !name.empty()) {
    return "settings." + name;
  }
  if (now.mounts != opened.mounts) {
    return "mounts";
  }
  return now.networks != opened.networks ? "networks" : "";
}

std::optional<SessionEnded> EndOf(const ContainerState& now) {
  switch (now.status) {
    case Status::kRunning: return std::nullopt;
    case Status::kPaused:
      return SessionEnded{.reason = SessionEnd::kSandboxChanged, .detail = "the sandbox was paused by somebody else"};
    case Status::kCreated:
    case Status::kRestarting:
    case Status::kRemoving:
    case Status::kExited:
    case Status::kDead: break;
  }
  return SessionEnded{.reason = SessionEnd::kMainProcessEnded,
                      .detail = now.oom_killed ? "the sandbox ended: it was out of memory" : "the sandbox ended"};
}

std::optional<SessionEnded> EndOf(const ContainerRecord& now, const ContainerRecord& opened) {
  if (auto end = EndOf(now.state)) {
    return end;
  }
  if (!DifferenceOf(now, opened).empty()) {
    return SessionEnded{.reason = SessionEnd::kSandboxChanged,
                        .detail = "the sandbox is no longer as it was when it was opened"};
  }
  return std::nullopt;
}

SessionEnded GoneBetweenCalls() {
  return {.reason = SessionEnd::kSandboxChanged, .detail = "the sandbox was removed by somebody else"};
}

SessionEnded GoneDuringCall() { return {.reason = SessionEnd::kMainProcessEnded, .detail = "the sandbox is gone"}; }

}  // namespace plimsoll::docker
