#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/log.h"
#include "base/result.h"
#include "dispatch/dispatcher.h"

namespace plimsoll::dispatch {

// What an audit line is made of. Views live until WriteAudit returns.
struct AuditEntry {
  const Call& call;
  std::string_view provider;
  isolation::StatedTier tier;
  std::chrono::milliseconds duration{0};
  const run::Report* report = nullptr;  // null when the call ended in a fault
  std::string_view error = {};          // our own words, when it did
  std::string_view error_id = {};       // empty unless the fault is internal
  std::string_view session = {};        // the fingerprint of a session call; empty for a single run
  std::uint64_t session_call = 0;       // its number
};

// One line for one dispatched call (daemon.md 9). Sizes and counts only: no code, names, output, tokens or owners.
void WriteAudit(const AuditEntry& entry, base::LogSink& log);

}  // namespace plimsoll::dispatch
