#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/unique_function.h"
#include "isolation/profile.h"
#include "provider/sandbox.h"
#include "records/chain.h"
#include "run/result.h"
#include "run/session_end.h"
#include "run/software_rule.h"
#include "sessions/turn.h"

namespace plimsoll::sessions {

// What is true of a session from its opening on.
struct Terms {
  std::string fingerprint;
  std::string principal;
  std::string owner;
  run::SoftwareRuleDraft rule;  // of the open; every call has it, narrowed or as it is
  isolation::Profile offer;     // what a call is held against: every kind runs in the session's one environment
  run::Report stated;           // the evidence taken at open, without a result
  base::SteadyTime opened;
  base::SteadyTime expires;
  std::chrono::milliseconds idle{0};  // 0: never suspended
};

// One sandbox kept for many calls. What is below `terms` belongs to the lock of the registry, but for the chain, which
// whoever holds the turn may read without it.
struct Session {
  explicit Session(Terms given) : terms(std::move(given)), chain(terms.fingerprint) {}

  const Terms terms;

  records::Chain chain;
  Turn turn;
  std::shared_ptr<provider::Sandbox> sandbox;  // null once it is gone
  base::Cleanup slot;
  base::Cleanup place;
  base::Cleanup owners_place;
  bool claimed = false;  // a request has named it
  bool suspended = false;
  bool collected = false;  // closed to the end: it is no longer known
  base::SteadyTime idle_from{};
  base::SteadyTime used{};
  std::optional<run::SessionEnded> ended;
  base::SteadyTime ended_at{};
  bool removing = false;
  base::SteadyTime remove_from{};         // when a removal that failed is tried again
  std::chrono::seconds removal_pause{0};  // before that
  std::vector<base::UniqueFunction<void()>> when_gone;
  base::Cleanup timer;
};

}  // namespace plimsoll::sessions
