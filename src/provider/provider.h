#pragma once

#include <cstddef>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "isolation/probe_report.h"
#include "isolation/profile.h"
#include "isolation/tier.h"
#include "provider/order.h"
#include "provider/sandbox.h"

namespace plimsoll::provider {

// What builds sandboxes. One a daemon, fixed at start. Every method may be called from any thread.
class Provider {
 public:
  virtual ~Provider() = default;

  // What this provider can do. Constant after SmokeTest has passed.
  virtual const isolation::Profile& Offer() const = 0;

  // The tier the provider can vouch for now; empty once its evidence lapsed.
  virtual isolation::StatedTier Tier() const = 0;

  // Configuration and dependency evidence: cheap, repeatable, starts no guest. Run at start and on each readiness poll.
  virtual base::Status Preflight(base::SteadyTime deadline) = 0;

  // Proof of behaviour in throwaway sandboxes; at start only, after Preflight.
  virtual base::Status SmokeTest(base::SteadyTime deadline) = 0;

  // What the last SmokeTest that passed proved, probe by probe; null before one has, and for a provider that has none.
  virtual std::shared_ptr<const isolation::ProbeReport> Probes() const { return nullptr; }

  // What the last SmokeTest tried and saw, also when it failed: for an operator to read, never evidence. Null before
  // one has ended, and for a provider that has none.
  virtual std::shared_ptr<const isolation::ProbeReport> LastBattery() const { return Probes(); }

  // Removes what crashed processes left behind, by the provider's own rule of what is dead; never a sandbox in use, and
  // never one whose declared end of life is not past. Called about once a minute. Returns how many were removed.
  virtual base::Result<std::size_t> ReapOrphans(base::SteadyTime /*deadline*/) { return std::size_t{0}; }

  // Starts a run and returns without waiting for its end. The time budget (the request's timeout, cut to the ceiling)
  // starts here. Refuses kUnavailable, kNotProven, kUnsupported; faults as described at RunDone.
  virtual void Run(Order order, RunDone done) = 0;

  // Makes a sandbox that is kept for many calls and returns without waiting for it. Offered where Offer() has an
  // environment for sessions; else refuses kUnsupported. Refuses and faults as Run does.
  virtual void Open(OpenOrder order, OpenDone done);

  // Stops taking runs and waits until every sandbox is gone. Fault kDeadline when some are left.
  virtual base::Status Drain(base::SteadyTime deadline) = 0;
};

}  // namespace plimsoll::provider
