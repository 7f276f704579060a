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
  all.reserve(table.sessions.size());
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

std::optional<run::SessionEnded> Registry::EndOf(const std::shared_ptr<Session>& session) {
  auto table = table_.Lock();
  return session->ended;
}

base::Status Registry::MayCall(const std::shared_ptr<Session>& session) {
  auto table = table_.Lock();
  if (session->collected) {
    return Unknown();
  }
  if (const auto& ended = session->ended) {
    return Refusal{Rule::kSessionEnded, EndedText(*ended)};
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
