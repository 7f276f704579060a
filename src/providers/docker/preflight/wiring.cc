// The real world outside a preflight.
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "os/host_file.h"
#include "providers/docker/address.h"
#include "providers/docker/preflight.h"
#include "providers/docker/preflight/kept_evidence.h"

namespace plimsoll::docker {
namespace {

base::Result<std::optional<std::string>> ReadClientFile(const std::string& path, std::size_t most) {
  auto content = os::ReadRegularFile(path, most);
  if (auto* problem = std::get_if<os::FileProblem>(&content)) {
    if (problem->kind == os::FileProblem::Kind::kMissing) {
      return std::optional<std::string>();
    }
    return base::Fault{base::FaultKind::kInternal, "read " + path + ": " + problem->cause};
  }
  return std::optional(std::get<std::string>(std::move(content)));
}

}  // namespace

std::unique_ptr<Preflight> Preflight::Create(const Settings& settings, const base::Clock& clock, base::LogSink& log) {
  Outside outside{
      .read = os::ReadRegularFile,
      .look = os::StandingOf,
      .own_uid = os::OwnUid(),
      .resolve = [](const Settings& set) { return ResolveAddress(set, ReadClientFile); },
      .open = [](std::string path) { return Engine::Create(std::move(path)); },
  };
  return CreatePreflight(settings, std::move(outside), clock, log);
}

}  // namespace plimsoll::docker
