#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "dispatch/dispatcher.h"
#include "isolation/tier.h"
#include "sessions/calling.h"
#include "sessions/closing.h"
#include "sessions/opening.h"
#include "sessions/registry.h"

namespace plimsoll::sessions {

// The sessions of a daemon: opens them, calls in them, closes them, and ends them when their time is over. Takes no
// more than it is asked: what a request may do here is decided in the order of sessions.md 5, 6 and 9. May be called
// from any thread.
class Sessions {
 public:
  // The references must outlive this; so must this everything that its provider still has to answer.
  Sessions(const Options& options, isolation::Floor operator_floor, provider::Provider& provider,
           dispatch::Dispatcher& dispatcher, base::Random& random, base::LogSink& log);

  const Options& options() const { return registry_.options(); }
  bool on() const { return options().caps.max > 0; }

  // Calls `done` exactly once, possibly before returning.
  void Open(OpenCall call, OpenDone done);

  // The session that a request names; it is claimed from now on. Refuses kSessionUnknown for an ID that is not this
  // caller's, whoever's it is.
  base::Result<std::shared_ptr<Session>> Find(std::string_view session_id, std::string_view principal) {
    return registry_.Find(session_id, principal);
  }
  // Calls `done` exactly once, possibly before returning.
  void Run(std::shared_ptr<Session> session, dispatch::Call call, CalledDone done);
  void Close(std::shared_ptr<Session> session, Patience patience, CloseDone done);

  // Opens nothing more, ends every session (kShutdown) and waits until every sandbox is gone. Fault kDeadline when some
  // are left.
  base::Status Drain(base::SteadyTime deadline) { return registry_.Drain(deadline); }
  // Nothing happens by itself any more, and every sandbox that a drain has left is let go of. Before the provider goes.
  void Stop() { registry_.Stop(); }

  Registry::Counts Count() { return registry_.Count(); }

 private:
  const isolation::Floor operator_floor_;
  Registry registry_;
};

}  // namespace plimsoll::sessions
