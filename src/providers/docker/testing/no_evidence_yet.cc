#include "providers/docker/preflight.h"
#include "providers/docker/smoke.h"
namespace plimsoll::docker {
std::unique_ptr<Preflight> Preflight::Create(const Settings&, const base::Clock&, base::LogSink&) { return nullptr; }
SmokeOutcome RunSmokeTest(std::shared_ptr<const State>, const Settings&, Launcher&, const base::Clock&, base::Random&,
                          base::LogSink&, base::SteadyTime) {
  return {base::Ok(), nullptr, nullptr};
}
}  // namespace plimsoll::docker
