// The real world outside a preflight.
#include <memory>
#include <string>
#include <utility>

#include "os/file_standing.h"
#include "os/read_file.h"
#include "providers/docker/address.h"
#include "providers/docker/preflight.h"
#include "providers/docker/preflight/kept_evidence.h"

namespace plimsoll::docker {

std::unique_ptr<Preflight> Preflight::Create(const Settings& settings, const base::Clock& clock, base::LogSink& log) {
  Outside outside{
      .read = os::ReadFile,
      .look = os::StandingOf,
      .digest = DigestOf,
      .own_uid = os::OwnUid(),
      .resolve = [](const Settings& set) { return ResolveAddress(set, os::ReadFile); },
      .open = [](std::string path) { return Engine::Create(std::move(path)); },
  };
  return CreatePreflight(settings, std::move(outside), clock, log);
}

}  // namespace plimsoll::docker
