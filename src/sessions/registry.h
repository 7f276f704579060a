#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "admission/places.h"
#include "base/clock.h"
#include "base/deadlines.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "dispatch/dispatcher.h"
#include "provider/provider.h"
#include "run/session_end.h"
#include "sessions/later.h"
#include "sessions/options.h"
#include "sessions/session.h"

namespace plimsoll::sessions {

// How long who asks will wait.
struct Patience {
  std::optional<base::SteadyTime> deadline = {};
  std::stop_token client_gone = {};
};

// All sessions and what happens to each by itself: its idle time, its lifetime, its end. Opening, calling and closing
// are jobs of their own that work on it (opening.h, calling.h, closing.h). Thread-safe; one lock, under which nothing
// of another room is called but the clock, the timers and the log.
class Registry {
 public:
  // The references must outlive this.
  Registry(const Options& options, provider::Provider& provider, dispatch::Dispatcher& dispatcher, base::Random& random,
           base::LogSink& log);
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  const Options& options() const { return options_; }
  provider::Provider& provider() { return provider_; }
  dispatch::Dispatcher& dispatcher() { return dispatcher_; }
  base::Random& random() { return random_; }
  base::LogSink& log() { return log_; }
  base::SteadyTime Now() const { return dispatcher_.clock().Steady(); }

  // The session of this ID and caller, from now on claimed. Refuses kSessionUnknown, whoever else may have one.
  base::Result<std::shared_ptr<Session>> Find(std::string_view session_id, std::string_view principal);

  // The places of one open in progress. With `victim` they were that session's, and its turn is held.
  struct Reserved {
    base::Cleanup place;
    base::Cleanup owners_place;
    std::shared_ptr<Session> victim;
  };
  // Refuses kAtCapacity. What is reserved counts as an open in progress until Opened or Abandoned.
  base::Result<Reserved> Reserve(const std::string& principal, const std::string& owner);
  void Opened(const std::shared_ptr<Session>& session);
  // The open failed. What was a victim's is its own again.
  void Abandoned(Reserved reserved);
  // The sandbox of the victim, to be removed by the open, and its slot, which is the open's from now on. Null when the
  // victim ends by itself just now.
  std::shared_ptr<provider::Sandbox> BeginReplacing(const std::shared_ptr<Session>& victim, base::Cleanup& slot);
  // The victim's sandbox is gone, and the session has ended for its owner's newer one.
  void Replaced(const std::shared_ptr<Session>& victim);
  // It could not be removed: the victim stays open and has its slot back.
  void NotReplaced(const std::shared_ptr<Session>& victim, base::Cleanup slot);

  // The turn of a session: `outcome` is called once, possibly before this returns, with Ok when it is the caller's, to
  // be given back with GiveTurn. Refuses kAtCapacity when somebody waits already, kCanceled and kDeadlinePassed.
  void TakeTurn(const std::shared_ptr<Session>& session, const Patience& patience,
                base::UniqueFunction<void(base::Status)> outcome);
  // What the turn was held for: a call that was not refused, after `moved` was made for it, or anything else.
  void GiveTurn(const std::shared_ptr<Session>& session);
  void GiveTurnAfterCall(const std::shared_ptr<Session>& session, const records::Record& moved);

  // Ends a session, if it has not ended yet, and removes its sandbox.
  void End(const std::shared_ptr<Session>& session, run::SessionEnded how);
  // Calls `then` once the sandbox is gone; at once when it is.
  void WhenGone(const std::shared_ptr<Session>& session, base::UniqueFunction<void()> then);
  // Forgets a session that has ended and is gone. False when that was done before.
  bool Collect(const std::shared_ptr<Session>& session);

  std::optional<run::SessionEnded> EndOf(const std::shared_ptr<Session>& session);
  // Refuses kSessionEnded once the session has ended, and kSessionUnknown once it was collected.
  base::Status MayCall(const std::shared_ptr<Session>& session);
  // The sandbox, for the call of whoever holds the turn; it is resumed by that call. Null when MayCall refuses.
  std::shared_ptr<provider::Sandbox> SandboxForCall(const std::shared_ptr<Session>& session);

  // Opens nothing more, ends every session and waits until every sandbox is gone. Fault kDeadline when some are left.
  base::Status Drain(base::SteadyTime deadline);
  // Nothing happens by itself any more, and every sandbox that is left is let go of.
  void Stop();

  // Sessions that have not ended.
  struct Counts {
    std::uint64_t awake = 0;
    std::uint64_t suspended = 0;
  };
  Counts Count();

 private:
  struct Table {
    admission::Places places{{}};
    std::map<std::string, std::shared_ptr<Session>, std::less<>> sessions;  // by fingerprint
    int opening = 0;
    bool closing = false;
    bool stopped = false;
  };
  class Waiting;

  void Mark(const std::shared_ptr<Session>& session, run::SessionEnded how, Later& later);
  void GiveTurnLocked(Table& table, const std::shared_ptr<Session>& session, Later& later);
  // Does what is due and sets the timer for what is next.
  void Reconsider(const std::shared_ptr<Session>& session);
  void ReconsiderLocked(Table& table, const std::shared_ptr<Session>& session, Later& later);
  std::optional<base::SteadyTime> DoWhatIsDue(Table& table, const std::shared_ptr<Session>& session, Later& later);
  std::optional<base::SteadyTime> AfterTheEnd(Table& table, const std::shared_ptr<Session>& session, Later& later);
  std::optional<base::SteadyTime> IdleUntil(const Session& session) const;
  void Suspend(const std::shared_ptr<Session>& session);
  void RemoveSandbox(const std::shared_ptr<Session>& session);
  void NotRemoved(const std::shared_ptr<Session>& session, const base::Fault& fault);
  void Gone(const std::shared_ptr<Session>& session);
  void GoneLocked(Table& table, const std::shared_ptr<Session>& session, Later& later);
  // A copy, since what is done with one may take it out of the table.
  static std::vector<std::shared_ptr<Session>> AllOf(const Table& table);
  std::shared_ptr<Session> VictimOf(Table& table, const std::string& principal, const std::string& owner);
  Reserved TakePlaces(Table& table, const std::string& principal, const std::string& owner);

  const Options options_;
  provider::Provider& provider_;
  dispatch::Dispatcher& dispatcher_;
  base::Random& random_;
  base::LogSink& log_;
  base::Guarded<Table> table_;
  std::condition_variable changed_;
  std::unique_ptr<base::Deadlines> timers_;  // last: what it calls uses the rest
};

}  // namespace plimsoll::sessions
