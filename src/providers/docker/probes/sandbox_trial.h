#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "providers/docker/address.h"
#include "providers/docker/probes/trial.h"
#include "providers/docker/sandbox.h"
#include "providers/docker/state.h"

namespace plimsoll::docker {

// Runs trials in throwaway sandboxes of `state`, each of at most 30 s and over by `deadline`, but for the removal
// (Launcher::Remove): every sandbox is gone, or was given up, when its trial is answered. `root` is the folder for the
// host's sockets. All must outlive it. Blocks.
struct TrialBench {
  std::shared_ptr<const State> state;
  Launcher& launcher;
  const base::Clock& clock;
  base::Random& random;
  ReadFile read;
  std::string root;
  base::SteadyTime deadline;
};
Trial RunInSandbox(const TrialBench& bench, const TrialOrder& order);

}  // namespace plimsoll::docker
