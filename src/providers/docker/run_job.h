#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "provider/provider.h"
#include "providers/docker/plans.h"
#include "providers/docker/preflight.h"
#include "providers/docker/run_pool.h"
#include "providers/docker/sandbox.h"
#include "run/result.h"

namespace plimsoll::docker {

// What every run of a provider uses. All outlive the runs.
struct Workshop {
  Preflight& preflight;
  Launcher& launcher;
  RunPool& pool;
  const base::Clock& clock;
  base::LogSink& log;
  // Waits until one more sandbox may be; given back when it is gone. Refuses kAtCapacity when none may until the
  // deadline, kCanceled when the caller leaves.
  std::function<base::Result<base::Cleanup>(const http::Bounds&)> enter;
};

// One run from its dispatch to the removal of its sandbox, on threads that may block.
class RunJob {
 public:
  // What the provider counts of a run. Both are given back in any case.
  struct Counted {
    base::Cleanup unanswered;  // until just before `done` is called
    base::Cleanup in_flight;   // until the sandbox is gone, just before the order's slots are given back
  };
  // `order.request` is a snippet or a project without a grant. `deadline` ends the budget that began at dispatch.
  RunJob(const Workshop& shop, provider::Order order, provider::RunDone done, base::SteadyTime deadline,
         const Times& times, Counted counted);

  // Answers `done` once, by the deadline and what is left to say. `shutdown` ends the run as a Fault.
  void Work(const std::stop_token& shutdown);
  // Removes the sandbox, however long that takes, and gives back what the run held. Must follow Work.
  void CleanUp();

 private:
  base::Result<run::Report> Execute(const std::stop_token& stop);
  base::Result<std::shared_ptr<const State>> Ready(const http::Bounds& bounds);
  base::Status Obtain(const std::shared_ptr<const State>& state, const http::Bounds& bounds);
  CallEnd Converse(const std::stop_token& stop);

  const Workshop& shop_;
  provider::Order order_;
  provider::RunDone done_;
  const base::SteadyTime deadline_;
  const Times& times_;
  const Role role_;
  Counted counted_;
  base::Cleanup slots_;
  base::Cleanup entered_;
  std::optional<RunPool::Place> place_;
  std::unique_ptr<Sandbox> sandbox_;
  base::SteadyTime began_{};  // the start of its sandbox, or the claim of one
  base::SteadyTime ended_{};  // of the guest
};

}  // namespace plimsoll::docker
