#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "isolation/tier.h"
#include "provider/order.h"
#include "run/result.h"
#include "run/session_end.h"

// A sandbox kept for many calls: what a session stands on (sessions.md 6 to 11). The provider keeps the wall and clears
// up between calls; what is called, when, and what comes of it is for `sessions` to decide.
namespace plimsoll::provider {

// What is true of one kept sandbox from its making to its end. Everything stated of its calls is this.
struct SandboxFacts {
  isolation::StatedTier tier;
  std::string environment;        // the identity of the image that every call runs in
  std::string software_identity;  // empty: none established
  std::string instance;           // empty, or the form of records.md 4.1
};

// How one call in a kept sandbox ended. `outcome` as RunDone says it; `ended` is set when the sandbox ended before or
// during the call and serves no other.
struct KeptCall {
  base::Result<run::Report> outcome;
  std::optional<run::SessionEnded> ended = {};
};
// Called exactly once, on any thread, possibly before Run returns.
using KeptCallDone = base::UniqueFunction<void(KeptCall)>;

// Thread-safe, and shared: whoever is in a method holds it. It is let go of before its provider is destroyed; one that
// was not removed by then is removed by its provider.
class Sandbox {
 public:
  virtual ~Sandbox() = default;

  virtual const SandboxFacts& Facts() const = 0;

  // One call; the next may be handed over once `done` was called, and no earlier. Resumes a suspended sandbox, waits
  // for the sweep after the call before, reads the sandbox back, and then starts the call's own time. A call that
  // Remove interrupts is answered with a Fault. Order::slots is null: the session holds them.
  virtual void Run(Order order, KeptCallDone done) = 0;

  // Freezes the sandbox until its next call, after the sweep. Never while a call runs. A Fault when it could not: then
  // its state is unknown and it must not be called again.
  virtual void Suspend(base::SteadyTime deadline, base::UniqueFunction<void(base::Status)> done) = 0;

  // Stops what runs and removes the sandbox. `done` says that it is gone; a Fault says that it may still be there, and
  // Remove may be asked again.
  virtual void Remove(base::UniqueFunction<void(base::Status)> done) = 0;
};

// One sandbox to be made and kept.
struct OpenOrder {
  std::string principal;
  // Requested when the caller has left: what was made by then is removed before the answer.
  std::stop_token stop = {};
  isolation::Floor floor = isolation::Floor::Absent();  // held again against the very sandbox
  base::WallTime ends = {};                             // end of life: stated outside, so that a reaper can act on it
  std::vector<std::string> languages = {};  // whose interpreters will probably be asked for; changes speed only
  // Called at most once, on any thread, never before OpenDone has returned and never inside another method: the sandbox
  // has ended by itself between two calls, as one whose sweep failed.
  base::UniqueFunction<void(run::SessionEnded)> ended = {};
};

// Called exactly once, on any thread, possibly before Open returns. A Refusal says that no sandbox was made or that it
// is gone again; a Fault that one may be left for the reaper.
using OpenDone = base::UniqueFunction<void(base::Result<std::shared_ptr<Sandbox>>)>;

}  // namespace plimsoll::provider
