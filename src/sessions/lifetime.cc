// What happens to a session by itself, and how it ends.
#include <algorithm>
#include <array>
#include <utility>

#include "sessions/registry.h"

namespace plimsoll::sessions {
namespace {

using run::SessionEnd;
using run::SessionEnded;

// sessions.md 8: a session that nobody names is collected although it is never suspended; one that has ended can still
// be closed.
constexpr std::chrono::minutes kUnclaimedWithoutIdle{5};
constexpr std::chrono::minutes kCollectable{10};
constexpr std::chrono::seconds kSuspendLimit{90};
// A removal that failed is tried again, at first soon.
constexpr std::chrono::seconds kFirstPause{1};
constexpr std::chrono::seconds kLongestPause{60};

}  // namespace

// The first end wins. It shows at once; the sandbox goes behind it.
void Registry::Mark(const std::shared_ptr<Session>& session, SessionEnded how, Later& later) {
  if (session->ended) {
    return;
  }
  const SessionEnded& ended = session->ended.emplace(std::move(how));
  session->ended_at = session->remove_from = Now();
  later.Do([owners_place = std::move(session->owners_place)]() mutable { owners_place.Release(); });
  const std::array<base::LogField, 4> fields = {{{"caller", session->terms.principal},
                                                 {"session", session->terms.fingerprint},
                                                 {"calls", session->chain.calls()},
                                                 {"end", run::Name(ended.reason)}}};
  log_.Write(base::Severity::kInfo, "session closed", fields);
}

void Registry::End(const std::shared_ptr<Session>& session, SessionEnded how) {
  Later later;
  auto table = table_.Lock();
  Mark(session, std::move(how), later);
  ReconsiderLocked(*table, session, later);
}

void Registry::Reconsider(const std::shared_ptr<Session>& session) {
  Later later;
  auto table = table_.Lock();
  ReconsiderLocked(*table, session, later);
}

void Registry::ReconsiderLocked(Table& table, const std::shared_ptr<Session>& session, Later& later) {
  const auto next = DoWhatIsDue(table, session, later);
  session->timer.Release();
  if (next && !table.stopped) {
    session->timer = timers_->At(*next, [this, weak = std::weak_ptr(session)] {
      if (const auto held = weak.lock()) {
        Reconsider(held);
      }
    });
  }
}

// When the idle time of a session that nobody uses is over; nothing while it cannot be.
std::optional<base::SteadyTime> Registry::IdleUntil(const Session& session) const {
  if (!session.turn.free() || session.suspended) {
    return std::nullopt;
  }
  if (session.terms.idle.count() == 0) {
    return session.claimed ? std::nullopt : std::optional(session.terms.opened + kUnclaimedWithoutIdle);
  }
  return session.idle_from + session.terms.idle;
}

// By what is true now and not by which timer has fired, so a late timer does no harm. The result is when there may be
// more to do.
std::optional<base::SteadyTime> Registry::DoWhatIsDue(Table& table, const std::shared_ptr<Session>& session,
                                                      Later& later) {
  const base::SteadyTime now = Now();
  const auto idle_until = IdleUntil(*session);
  if (now >= session->terms.expires) {
    Mark(session, {SessionEnd::kExpired}, later);
  } else if (idle_until && now >= *idle_until && !session->claimed) {
    Mark(session, {SessionEnd::kUnclaimed}, later);
  }
  if (session->ended) {
    return AfterTheEnd(table, session, later);
  }
  if (idle_until && now >= *idle_until) {
    session->turn.Take();
    later.Do([this, session] { Suspend(session); });
    return session->terms.expires;
  }
  return idle_until ? std::min(*idle_until, session->terms.expires) : session->terms.expires;
}

std::optional<base::SteadyTime> Registry::AfterTheEnd(Table& table, const std::shared_ptr<Session>& session,
                                                      Later& later) {
  const base::SteadyTime now = Now();
  if (!session->sandbox) {
    if (now < session->ended_at + kCollectable) {
      return session->ended_at + kCollectable;
    }
    session->collected = true;
    table.sessions.erase(session->terms.fingerprint);
    return std::nullopt;
  }
  if (session->removing) {
    return std::nullopt;
  }
  if (now < session->remove_from) {
    return session->remove_from;
  }
  session->removing = true;
  later.Do([this, session] { RemoveSandbox(session); });
  return std::nullopt;
}

// The turn is held for it.
void Registry::Suspend(const std::shared_ptr<Session>& session) {
  const auto sandbox = SandboxForCall(session);
  if (!sandbox) {
    return GiveTurn(session);
  }
  sandbox->Suspend(Now() + kSuspendLimit, [this, session](const base::Status& status) {
    Later later;
    auto table = table_.Lock();
    if (status) {
      session->suspended = true;
      const std::array<base::LogField, 3> fields = {
          {{"session", session->terms.fingerprint}, {"idle_ms", session->terms.idle.count()}, {"holds_memory", true}}};
      log_.Write(base::Severity::kInfo, "session suspended", fields);
    } else {
      const std::array<base::LogField, 2> fields = {
          {{"session", session->terms.fingerprint}, {"error", base::TextOf(status.error())}}};
      log_.Write(base::Severity::kError, "session could not be suspended", fields);
      Mark(session, {SessionEnd::kBoundaryFailed, "it could not be suspended"}, later);
    }
    GiveTurnLocked(*table, session, later);
  });
}

void Registry::RemoveSandbox(const std::shared_ptr<Session>& session) {
  std::shared_ptr<provider::Sandbox> sandbox = [&] {
    auto table = table_.Lock();
    return session->sandbox;
  }();
  sandbox->Remove([this, session](const base::Status& gone) {
    if (const base::Fault* fault = base::FaultIn(gone)) {
      NotRemoved(session, *fault);
    } else {
      Gone(session);
    }
  });
}

// A session whose sandbox may still be there keeps its place and its slot.
void Registry::NotRemoved(const std::shared_ptr<Session>& session, const base::Fault& fault) {
  Later later;
  auto table = table_.Lock();
  session->removal_pause = std::clamp(2 * session->removal_pause, kFirstPause, kLongestPause);
  session->removing = false;
  session->remove_from = Now() + session->removal_pause;
  const std::array<base::LogField, 2> fields = {{{"session", session->terms.fingerprint}, {"error", fault.detail}}};
  log_.Write(base::Severity::kError, "the sandbox of a session could not be removed; it is tried again", fields);
  ReconsiderLocked(*table, session, later);
}

void Registry::Gone(const std::shared_ptr<Session>& session) {
  Later later;
  auto table = table_.Lock();
  GoneLocked(*table, session, later);
}

void Registry::GoneLocked(Table& table, const std::shared_ptr<Session>& session, Later& later) {
  // Given back without the lock, the slot first: who waits for the end may open another session at once.
  later.Do([slot = std::move(session->slot), place = std::move(session->place), sandbox = std::move(session->sandbox),
            then = std::move(session->when_gone)]() mutable {
    slot.Release();
    place.Release();
    for (auto& step : then) {
      step();
    }
  });
  session->sandbox = nullptr;
  session->when_gone.clear();
  ReconsiderLocked(table, session, later);
  changed_.notify_all();
}

void Registry::WhenGone(const std::shared_ptr<Session>& session, base::UniqueFunction<void()> then) {
  Later later;
  auto table = table_.Lock();
  if (session->sandbox) {
    session->when_gone.push_back(std::move(then));
  } else {
    later.Do(std::move(then));
  }
}

bool Registry::Collect(const std::shared_ptr<Session>& session) {
  auto table = table_.Lock();
  if (session->collected) {
    return false;
  }
  session->collected = true;
  session->timer.Release();
  table->sessions.erase(session->terms.fingerprint);
  return true;
}

base::Status Registry::Drain(base::SteadyTime deadline) {
  {
    Later later;
    auto table = table_.Lock();
    table->closing = true;
    for (const auto& session : AllOf(*table)) {
      Mark(session, {SessionEnd::kShutdown}, later);
      ReconsiderLocked(*table, session, later);
    }
  }
  auto table = table_.Lock();
  const auto is_empty = [&] {
    return table->opening == 0 &&
           std::ranges::none_of(table->sessions, [](const auto& entry) { return entry.second->sandbox != nullptr; });
  };
  if (!changed_.wait_until(table.lock(), deadline, is_empty)) {
    return base::Fault{base::FaultKind::kDeadline, "sandboxes of sessions are left"};
  }
  return base::Ok();
}

}  // namespace plimsoll::sessions
