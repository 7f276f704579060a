#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isolation/tier.h"

namespace plimsoll::daemon {

// What /metrics says, read at one moment. Counters are since the start of the process.
struct MetricsSnapshot {
  std::string version;
  std::string provider;
  isolation::StatedTier tier;
  std::uint64_t runs = 0;
  std::uint64_t runs_failed = 0;
  std::uint64_t in_flight = 0;
  std::map<std::string, std::uint64_t> shed;      // by reason; the five of daemon.md 8 are written even when absent
  std::map<std::string, std::uint64_t> refusals;  // by reason; likewise the seven of wire.md 6
  std::uint64_t auth_failures = 0;
  std::uint64_t orphans_reaped = 0;
  std::map<std::string, std::uint64_t> sessions = {};  // by state; empty, and so left out, while sessions are off
};

// Prometheus text format 0.0.4.
std::string MetricsText(const MetricsSnapshot& snapshot);

// One series line. Backslash, quote and newline of a label's value are escaped. Labels are written in the order given.
std::string Series(std::string_view name, const std::vector<std::pair<std::string_view, std::string_view>>& labels,
                   std::uint64_t value);

}  // namespace plimsoll::daemon
