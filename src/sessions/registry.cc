#include "sessions/registry.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "records/record.h"

namespace plimsoll::sessions {
namespace {

using base::Refusal;
using base::Rule;

Refusal Unknown() { return {Rule::kSessionUnknown, "no such session"}; }

std::string EndedText(const run::SessionEnded& how) {
  std::string text = "the session has ended: ";
  text += run::Name(how.reason);
  return how.detail.empty() ? text : text + ", " + how.detail;
}

}  // namespace

// One request that waits for a turn. Owned by the turn until it is granted or the request leaves.
class Registry::Waiting : public std::enable_shared_from_this<Waiting> {
 public:
  Waiting(Registry& registry, std::shared_ptr<Session> session, Patience patience,
          base::UniqueFunction<void(base::Status)> outcome)
      : registry_(registry),
        session_(std::move(session)),
        patience_(std::move(patience)),
        outcome_(std::move(outcome)) {}

  // Before the wait begins: a stop that comes earlier is seen by who called Wait.
  void Watch() { on_stop_.emplace(patience_.client_gone, Stop{weak_from_this()}); }

  void Granted() { outcome_(base::Ok()); }
  void Refused(Refusal refusal) { outcome_(std::move(refusal)); }
  bool stopped() const { return patience_.client_gone.stop_requested(); }

  void Leave() {
    Later later;
    auto table = registry_.table_.Lock();
    Turn::Granted left = ticket != 0 ? session_->turn.Leave(ticket) : Turn::Granted();
    if (!left) {
      return;
    }
    later.Do([self = shared_from_this(), left = std::move(left)] {
      self->outcome_(
          dispatch::StillWaiting(self->patience_.deadline, self->patience_.client_gone, self->registry_.Now()));
    });
  }

  std::uint64_t ticket = 0;  // under the registry's lock; 0: does not wait

 private:
  struct Stop {
    std::weak_ptr<Waiting> waiting;
    void operator()() const {
      if (const auto self = waiting.lock()) {
        self->Leave();
      }
    }
  };

  Registry& registry_;
  const std::shared_ptr<Session> session_;
  const Patience patience_;
  base::UniqueFunction<void(base::Status)> outcome_;
  std::optional<std::stop_callback<Stop>> on_stop_;
};

Registry::Registry(const Options& options, provider::Provider& provider, dispatch::Dispatcher& dispatcher,
                   base::Random& random, base::LogSink& log)
    : options_(options),
      provider_(provider),
      dispatcher_(dispatcher),
      random_(random),
      log_(log),
      timers_(std::make_unique<base::Deadlines>(dispatcher.clock())) {
  table_.Lock()->places = admission::Places(options.caps);
}

// What a session holds is given back without the lock.
Registry::~Registry() {
  Stop();
  auto left = std::exchange(table_.Lock()->sessions, {});
}

void Registry::Stop() {
  {
    Later later;
    auto table = table_.Lock();
    table->stopped = true;  // from here on no timer is set and no sandbox is taken in
    for (const auto& session : AllOf(*table)) {
      Mark(session, {run::SessionEnd::kShutdown}, later);
      GoneLocked(*table, session, later);
    }
  }
  timers_.reset();
}

std::vector<std::shared_ptr<Session>> Registry::AllOf(const Table& table) {
  std::vector<std::shared_ptr<Session>> all;
  for (const auto& [fingerprint, session] : table.sessions) {
    all.push_back(session);
  }
  return all;
}

base::Result<std::shared_ptr<Session>> Registry::Find(std::string_view session_id, std::string_view principal) {
  // By its fingerprint, so that the time this takes says nothing of the IDs there are.
  const std::string fingerprint = records::Fingerprint(session_id);
  auto table = table_.Lock();
  const auto found = table->sessions.find(fingerprint);
  if (found == table->sessions.end() || found->second->terms.principal != principal) {
    return Unknown();
  }
  found->second->claimed = true;
  return found->second;
}

Registry::Reserved Registry::TakePlaces(Table& table, const std::string& principal, const std::string& owner) {
  table.places.Take(principal, owner);
  return {
      .place = base::Cleanup([this, principal] { table_.Lock()->places.Give(principal); }),
      .owners_place = base::Cleanup([this, principal, owner] { table_.Lock()->places.GiveOwners(principal, owner); }),
      .victim = nullptr};
}

// The owner's session that was used longest ago, of those that nobody uses; its turn is taken.
std::shared_ptr<Session> Registry::VictimOf(Table& table, const std::string& principal, const std::string& owner) {
  std::shared_ptr<Session> victim;
  for (const auto& [fingerprint, session] : table.sessions) {
    const bool is_theirs = session->terms.principal == principal && session->terms.owner == owner;
    if (is_theirs && !session->ended && session->turn.free() && (!victim || session->used < victim->used)) {
      victim = session;
    }
  }
  if (victim) {
    victim->turn.Take();
  }
  return victim;
}

base::Result<Registry::Reserved> Registry::Reserve(const std::string& principal, const std::string& owner) {
  auto table = table_.Lock();
  if (table->closing) {
    return Refusal{Rule::kAtCapacity, "capacity: the daemon is stopping and opens no session"};
  }
  const auto full = table->places.FullFor(principal, owner);
  if (!full) {
    ++table->opening;
    return TakePlaces(*table, principal, owner);
  }
  std::shared_ptr<Session> victim;
  if (*full == admission::Places::Cap::kOwner) {
    victim = VictimOf(*table, principal, owner);
  }
  if (!victim) {
    return table->places.Refuse(*full);
  }
  ++table->opening;
  return Reserved{std::move(victim->place), std::move(victim->owners_place), victim};
}

void Registry::Opened(const std::shared_ptr<Session>& session) {
  Later later;
  auto table = table_.Lock();
  --table->opening;
  session->idle_from = session->used = session->terms.opened;
  table->sessions.emplace(session->terms.fingerprint, session);
  if (table->closing) {
    Mark(session, {run::SessionEnd::kShutdown}, later);
  }
  if (table->stopped) {
    GoneLocked(*table, session, later);
  }
  ReconsiderLocked(*table, session, later);
}

void Registry::Abandoned(Reserved reserved) {
  Later later;
  auto table = table_.Lock();
  --table->opening;
  changed_.notify_all();
  const std::shared_ptr<Session> victim = reserved.victim;
  // What the victim no longer counts for is given back without the lock.
  if (victim && victim->sandbox) {
    victim->place = std::move(reserved.place);
  }
  if (victim && !victim->ended) {
    victim->owners_place = std::move(reserved.owners_place);
  }
  later.Do([reserved = std::move(reserved)]() mutable {
    reserved.place.Release();
    reserved.owners_place.Release();
  });
  if (victim) {
    GiveTurnLocked(*table, victim, later);
  }
}

std::shared_ptr<provider::Sandbox> Registry::BeginReplacing(const std::shared_ptr<Session>& victim,
                                                            base::Cleanup& slot) {
  auto table = table_.Lock();
  if (!victim->sandbox || victim->removing) {
    return nullptr;
  }
  victim->removing = true;
  slot = std::move(victim->slot);
  return victim->sandbox;
}

void Registry::Replaced(const std::shared_ptr<Session>& victim) {
  Later later;
  auto table = table_.Lock();
  Mark(victim, {run::SessionEnd::kReplaced}, later);
  const std::array<base::LogField, 2> fields = {
      {{"caller", victim->terms.principal}, {"session", victim->terms.fingerprint}}};
  log_.Write(base::Severity::kInfo, "session replaced", fields);
  GoneLocked(*table, victim, later);
  GiveTurnLocked(*table, victim, later);
}

void Registry::NotReplaced(const std::shared_ptr<Session>& victim, base::Cleanup slot) {
  auto table = table_.Lock();
  victim->slot = std::move(slot);
  victim->removing = false;
}

void Registry::TakeTurn(const std::shared_ptr<Session>& session, const Patience& patience,
                        base::UniqueFunction<void(base::Status)> outcome) {
  const auto waiting = std::make_shared<Waiting>(*this, session, patience, std::move(outcome));
  waiting->Watch();
  {
    Later later;
    auto table = table_.Lock();
    if (session->turn.Take()) {
      later.Do([waiting] { waiting->Granted(); });
      return;
    }
    const auto ticket = session->turn.Wait([waiting] { waiting->Granted(); });
    if (!ticket) {
      later.Do([waiting] {
        waiting->Refused({Rule::kAtCapacity, "capacity: one request uses this session and one more waits for it"});
      });
      return;
    }
    waiting->ticket = *ticket;
  }
  if (waiting->stopped()) {
    waiting->Leave();
  }
}

void Registry::GiveTurnLocked(Table& table, const std::shared_ptr<Session>& session, Later& later) {
  if (Turn::Granted next = session->turn.Give()) {
    later.Do(std::move(next));
  } else {
    ReconsiderLocked(table, session, later);
  }
}

void Registry::GiveTurn(const std::shared_ptr<Session>& session) {
  Later later;
  auto table = table_.Lock();
  GiveTurnLocked(*table, session, later);
}

void Registry::GiveTurnAfterCall(const std::shared_ptr<Session>& session, const records::Record& moved) {
  Later later;
  auto table = table_.Lock();
  session->chain.Advance(moved);
  session->idle_from = session->used = Now();
  GiveTurnLocked(*table, session, later);
}

std::optional<run::SessionEnded> Registry::EndOf(const std::shared_ptr<Session>& session) {
  auto table = table_.Lock();
  return session->ended;
}

base::Status Registry::MayCall(const std::shared_ptr<Session>& session) {
  auto table = table_.Lock();
  if (session->collected) {
    return Unknown();
  }
  if (session->ended) {
    return Refusal{Rule::kSessionEnded, EndedText(*session->ended)};
  }
  return base::Ok();
}

std::shared_ptr<provider::Sandbox> Registry::SandboxForCall(const std::shared_ptr<Session>& session) {
  auto table = table_.Lock();
  if (session->ended) {
    return nullptr;
  }
  session->suspended = false;
  return session->sandbox;
}

Registry::Counts Registry::Count() {
  Counts counts;
  auto table = table_.Lock();
  for (const auto& [fingerprint, session] : table->sessions) {
    if (!session->ended) {
      ++(session->suspended ? counts.suspended : counts.awake);
    }
  }
  return counts;
}

}  // namespace plimsoll::sessions
