#pragma once

#include <memory>
#include <string>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "dispatch/dispatcher.h"
#include "isolation/tier.h"
#include "provider/sandbox.h"
#include "run/session_open.h"
#include "sessions/registry.h"

namespace plimsoll::sessions {

// One request to open a session, its envelope checked.
struct OpenCall {
  run::SessionOpen asked;
  isolation::Floor floor = isolation::Floor::Absent();
  std::string principal;
  Patience patience = {};
};

// A session that was opened, as its caller is told. The only place where its ID is.
struct Opened {
  std::string session_id;
  std::string fingerprint;
  provider::SandboxFacts facts;
  std::string sandbox;  // the provider's name
  base::WallTime expires;
  std::chrono::milliseconds idle{0};
};

// An Opened, a Refusal (nothing was made, or it is gone again), or a Fault as Dispatcher::Run gives one.
using OpenDone = base::UniqueFunction<void(base::Result<Opened>)>;

// One open in progress, in the order of checks of sessions.md 5. Keeps itself until it has answered.
class Opening : public std::enable_shared_from_this<Opening> {
 public:
  Opening(Registry& registry, isolation::Floor operator_floor, OpenCall call, OpenDone done);
  void Start();

 private:
  base::Status Check() const;
  base::Status TakeCapacity();
  void Replace();
  void Make();
  void Made(base::Result<std::shared_ptr<provider::Sandbox>> made);
  base::Status MayKeep(const provider::SandboxFacts& facts) const;
  void Keep(std::shared_ptr<provider::Sandbox> sandbox);
  Terms TermsFor(std::string fingerprint, const provider::SandboxFacts& facts) const;
  void LogOpened(const Session& session) const;
  void Fail(base::Error why);
  void Answer(base::Result<Opened> answer);

  Registry& registry_;
  const isolation::Floor operator_floor_;
  const OpenCall call_;
  OpenDone done_;
  const base::SteadyTime began_;
  Registry::Reserved reserved_;
  base::Cleanup slot_;
  // Whom the provider's word of an end is for, once there is a session.
  using Kept = base::Guarded<std::weak_ptr<Session>>;
  const std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

// The times in force: the operator's, or shorter ones that were asked for (sessions.md 3).
std::chrono::milliseconds LifetimeInForce(const Options& options, std::uint32_t asked_ms);
std::chrono::milliseconds IdleInForce(const Options& options, std::uint32_t asked_ms);

}  // namespace plimsoll::sessions
