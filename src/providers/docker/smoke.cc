#include "providers/docker/smoke.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "os/read_file.h"
#include "providers/docker/probes/battery.h"
#include "providers/docker/probes/sandbox_trial.h"
#include "providers/docker/probes/smoke_report.h"
#include "providers/docker/reaper.h"

namespace plimsoll::docker {

SmokeOutcome RunSmokeTest(std::shared_ptr<const State> state, const Settings& settings, Launcher& launcher,
                          const base::Clock& clock, base::Random& random, base::LogSink& log,
                          base::SteadyTime deadline) {
  const TrialBench bench{.state = std::move(state),
                         .launcher = launcher,
                         .clock = clock,
                         .random = random,
                         .read = os::ReadFile,
                         .root = HostDirRoot(),
                         .deadline = deadline};
  const base::WallTime began = clock.Wall();
  BatteryResult result = RunBattery(
      settings, *bench.state, std::max(1U, std::thread::hardware_concurrency()),
      [&](const TrialOrder& order) { return RunInSandbox(bench, order); }, clock, log,
      [&] { return clock.Steady() < deadline; });
  return JudgeSmokeTest(*bench.state, settings, std::move(result), began, clock.Wall());
}

}  // namespace plimsoll::docker
