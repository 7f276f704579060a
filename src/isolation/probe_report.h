#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isolation/tier.h"

namespace plimsoll::isolation {

// One thing that was tried from inside a throwaway sandbox, and what came of it. `detail` is in our own words and never
// holds text that a process in the sandbox could have written freely.
struct Probe {
  enum class Outcome { kPass, kFail, kSkip };
  std::string id;  // stable, `snippet/root-write`: image role, then the probe
  Outcome outcome = Outcome::kFail;
  std::string tried;   // what was tried, one sentence
  std::string detail;  // what happened; for kSkip the reason
  std::int64_t at_unix_ms = 0;
};
// `pass`, `fail`, `skip`.
std::string_view Name(Probe::Outcome outcome);

// What the smoke test proved: the evidence behind a stated tier (records.md 13.6). The provider that makes a report
// sorts its probes by id; whoever reads one relies on that order and keeps it.
struct ProbeReport {
  std::string provider;
  StatedTier tier;
  std::string environment;      // the identity of the images that were probed
  std::string policy;           // as Profile::policy
  std::string daemon_version;   // ours
  std::string runtime_version;  // of what runs the sandboxes: `runc 1.1.5`, `runsc release-...`, `quickjs-ng 0.17.0`
  std::int64_t started_unix_ms = 0;
  std::int64_t ended_unix_ms = 0;
  std::vector<Probe> probes;
};

}  // namespace plimsoll::isolation
