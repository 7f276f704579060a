#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "providers/docker/settings.h"
#include "providers/docker/state.h"

namespace plimsoll::docker {

// Keeps the evidence that the provider's promises rest on (providers-local.md 6.1). Thread-safe.
class Preflight {
 public:
  // All must outlive it. Opens nothing.
  static std::unique_ptr<Preflight> Create(const Settings& settings, const base::Clock& clock, base::LogSink& log);
  virtual ~Preflight() = default;

  // The ten steps, first failure wins. Success is kept for 5 s; one caller probes, the others wait at most 2 s. The
  // probe has its own bound of 10 s and outlives a caller that gives up.
  // Refuses kUnavailable or kNotProven with the step, the value and what to do; kAtCapacity when `deadline` passed
  // while another's probe was running.
  virtual base::Result<std::shared_ptr<const State>> Check(base::SteadyTime deadline) = 0;

  // The smoke test has passed for exactly this state: from now on step 10 holds every image to it.
  virtual void Prove(const State& state) = 0;

  // What to state now: the proved tier while the evidence holds; `container` after a failed refresh; empty before any
  // success.
  virtual isolation::StatedTier Tier() const = 0;
  // The last state that passed, whether or not it is fresh; null before any.
  virtual std::shared_ptr<const State> Last() const = 0;
};

}  // namespace plimsoll::docker
