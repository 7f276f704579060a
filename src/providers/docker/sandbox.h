#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "frames/agent.h"
#include "http/client.h"
#include "providers/docker/call.h"
#include "providers/docker/container_spec.h"
#include "providers/docker/settings.h"
#include "providers/docker/state.h"

namespace plimsoll::docker {

class Leases;

// Bytes for a call: a project's files, or a snippet's code under an empty path. Views live until Begin returns.
struct CallFile {
  std::string_view path;
  std::string_view content;
};

// How the host's side of a call ended. Whatever it is, `transcript` holds what was said before.
struct CallEnd {
  enum class How {
    kDone,            // the agent said so within the grace; `container` is known for a killed snippet
    kContainerEnded,  // the stream ended and the engine states that the container is over; `container` says how
    kSilent,          // the budget and its grace passed without a word that ends the call
    kLost,            // the stream ended or broke and the engine cannot say what became of the container
    kViolation,       // a frame that is not authentic, out of place or over a bound
    kCanceled,        // the caller left
  };
  How how = How::kLost;
  std::optional<ContainerState> container = {};
  // When the last exit of a guest process was heard; what ended a run is decided by this instant
  // (providers-local.md 1.2).
  std::optional<base::SteadyTime> exit_heard = {};
  std::string detail = {};  // for the log
};

// One container with its agent ready: made for one call, waiting in the pool for one, or kept for many. Blocking; one
// thread at a time. Destroying it does not remove the container: hand it to Launcher::Remove, which alone does.
class Sandbox {
 public:
  virtual ~Sandbox() = default;

  virtual const std::string& id() const = 0;
  virtual const std::string& name() const = 0;
  virtual Role role() const = 0;
  virtual const std::shared_ptr<const State>& state() const = 0;
  // End of life that its label states.
  virtual base::WallTime ends() const = 0;

  // Opens a call of this sandbox and sends its plan; a snippet's interpreter starts at once and waits. Nothing of a
  // caller is in a snippet's plan. Once, or again when the call before is done. Fault when the agent cannot be told.
  virtual base::Status Prepare(frames::agent::Kind kind, frames::agent::Plan plan, const http::Bounds& bounds) = 0;
  // A round trip to the agent with a fresh nonce: whether the sandbox is there and its channel sound.
  virtual base::Status Ping(const http::Bounds& bounds) = 0;

  // Sends the files and the budget, then waits for the call's end: at most until `deadline` + `grace`. At `deadline`
  // the agent is told to cancel as well. From the first byte sent on, guest code may have run.
  virtual CallEnd Run(const std::vector<CallFile>& files, base::SteadyTime deadline, std::chrono::milliseconds grace,
                      std::stop_token stop) = 0;
  // What the agent has said in the last call; valid after Prepare.
  virtual CallTranscript& transcript() = 0;

  // --- of a sandbox that is kept

  // Has the agent end a call that Run came back from, or Prepare failed in, before it was done, and hears it out. Fault
  // when that did not happen within the bounds: then nothing more can be asked of the agent.
  virtual base::Status Settle(const http::Bounds& bounds) = 0;
  // Has the agent sweep up between two calls. Fault when there is no verdict.
  virtual base::Result<frames::agent::Swept> Sweep(const frames::agent::SweepOrder& order,
                                                   const http::Bounds& bounds) = 0;
};

struct LaunchOptions {
  base::WallTime ends;           // stated in the label io.plimsoll.expires, rounded up
  std::string host_socket = {};  // host path to mount at /run/host-api.sock; empty: none
  Purpose purpose = Purpose::kRun;
  // Where a launch that fails leaves what it made, or may have made, good for Remove alone: so that a caller can be
  // answered before the removal, and holds its capacity until after it. Null: Launch removes it before it returns.
  std::unique_ptr<Sandbox>* remains = nullptr;
};

// Makes containers under the exact settings of providers-local.md 5. Thread-safe.
class Launcher {
 public:
  // All must outlive the launcher.
  static std::unique_ptr<Launcher> Create(const Settings& settings, const base::Clock& clock, base::Random& random,
                                          base::LogSink& log, Leases& leases);
  virtual ~Launcher() = default;

  // Creates, attaches, starts, and waits for the agent's kReady: the sandbox is ready for Prepare. Refuses
  // kUnavailable, or kNotProven for an image that is gone, when no container exists for it; kCanceled when the stop
  // came before the create was sent. Fault for everything later.
  virtual base::Result<std::unique_ptr<Sandbox>> Launch(std::shared_ptr<const State> state, Role role,
                                                        const LaunchOptions& options, const http::Bounds& bounds) = 0;
  // Force-removes the container: up to 3 attempts of 10 s with pauses of 1 and 2 s, verified by an exact-name listing;
  // then it logs an error and leaves it to the reaper. Blocks; forgets the lease. True when it is gone. Null is gone.
  virtual bool Remove(std::unique_ptr<Sandbox> sandbox) = 0;
  // The same attempts at a sandbox that its owner may ask for again: when they fail it keeps its lease, and stays good
  // for this and for Remove.
  virtual bool TryRemove(Sandbox& sandbox) = 0;
  // Ends whatever runs in the sandbox with one forced removal of at most `bounds`, without looking whether it worked;
  // for a guest that must not outlive its answer. Remove must follow.
  virtual void Kill(Sandbox& sandbox, const http::Bounds& bounds) = 0;
};

}  // namespace plimsoll::docker
