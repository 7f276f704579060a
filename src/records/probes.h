#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isolation/probe_report.h"

namespace plimsoll::records {

// One probe as its digest covers it.
struct ProbeLine {
  std::string probe;
  std::string outcome;        // `pass`, `fail`, `skip`
  std::string detail_sha256;  // ProbeDetailDigest of what happened
};

// A probe report as its digest covers it (records.md 13.6). All text is UTF-8.
struct Probes {
  std::string provider;
  std::string isolation;
  std::string environment;
  std::string policy;
  std::string daemon_version;
  std::string runtime_version;
  std::int64_t started_unix_ms = 0;
  std::int64_t ended_unix_ms = 0;
  std::vector<ProbeLine> probes;  // sorted by `probe`
};

// The report in the form that is hashed and sent: text that is not UTF-8 repaired, probes in the report's order.
Probes ProbesOf(const isolation::ProbeReport& report);

// Lowercase hex digest, domain `plimsoll.ext.probes.v1`, over the fields in the order above.
std::string ProbesDigest(const Probes& probes);

// Lowercase hex SHA-256 of the text that says what happened, as it is sent.
std::string ProbeDetailDigest(std::string_view happened);

}  // namespace plimsoll::records
