#include "providers/docker/reaper.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "os/private_dir.h"

namespace plimsoll::docker {
namespace {

using Kind = EngineError::Kind;

base::Fault FaultOf(const EngineError& error) {
  base::FaultKind kind = base::FaultKind::kUnavailable;
  if (error.kind == Kind::kDeadline) {
    kind = base::FaultKind::kDeadline;
  } else if (error.kind == Kind::kCanceled) {
    kind = base::FaultKind::kCanceled;
  }
  return {kind, "cannot list containers to reap: " + error.detail};
}

bool IsDue(const ContainerListed& container, base::WallTime now) {
  const auto label = container.labels.find(std::string(kExpiresLabel));
  if (label == container.labels.end()) {
    return false;
  }
  const auto expires = ParseExpiry(label->second);
  return expires && now - *expires > kReapAfter;
}

bool IsHeld(const ContainerListed& container, const Leases& leases) {
  return std::any_of(container.names.begin(), container.names.end(),
                     [&](const std::string& name) { return leases.Holds(name); });
}

void LogLeft(base::LogSink& log, const std::string& id, const EngineError& error) {
  const std::array<base::LogField, 2> fields{base::LogField{"container", std::string_view(id)},
                                             base::LogField{"error", std::string_view(error.detail)}};
  log.Write(base::Severity::kWarn, "an expired container could not be removed", fields);
}

}  // namespace

std::optional<base::WallTime> ParseExpiry(std::string_view label) {
  const bool digits = std::all_of(label.begin(), label.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || label.empty() || label.size() > 12 || (label.size() > 1 && label.front() == '0')) {
    return std::nullopt;
  }
  std::int64_t seconds = 0;
  for (const char c : label) {
    seconds = seconds * 10 + (c - '0');
  }
  return base::WallTime(std::chrono::seconds(seconds));
}

base::Result<std::size_t> Reap(Engine& engine, const Leases& leases, base::WallTime now, const http::Bounds& bounds,
                               base::LogSink& log) {
  const auto listed = engine.ListByLabel(kExpiresLabel, bounds);
  if (const auto* error = std::get_if<EngineError>(&listed)) {
    return FaultOf(*error);
  }
  std::vector<std::string> tried;
  for (const ContainerListed& container : std::get<std::vector<ContainerListed>>(listed)) {
    if (!IsDue(container, now) || IsHeld(container, leases)) {
      continue;
    }
    tried.push_back(container.id);  // whatever is answered: what counts is whether it is there afterwards
    const auto removed = engine.Remove(container.id, bounds);
    const auto* error = std::get_if<EngineError>(&removed);
    if (error != nullptr && error->kind != Kind::kNotFound) {
      LogLeft(log, container.id, *error);
      if (error->kind == Kind::kUnreachable || error->kind == Kind::kDeadline || error->kind == Kind::kCanceled) {
        break;
      }
    }
  }
  if (tried.empty()) {
    return std::size_t{0};
  }
  const auto after = engine.ListByLabel(kExpiresLabel, bounds);
  if (const auto* error = std::get_if<EngineError>(&after)) {
    return FaultOf(*error);
  }
  for (const ContainerListed& container : std::get<std::vector<ContainerListed>>(after)) {
    std::erase(tried, container.id);
  }
  return tried.size();
}

std::string HostDirRoot() {
  std::error_code error;
  const auto named = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : named.string();
}

base::Result<std::size_t> ReapHostDirectories(const std::string& root, base::WallTime now) {
  return os::RemoveAbandoned(root, kHostDirPrefix, now - kHostDirAge);
}

}  // namespace plimsoll::docker
