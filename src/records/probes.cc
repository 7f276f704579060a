#include "records/probes.h"

#include <algorithm>

#include "base/check.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "records/canonical.h"

namespace plimsoll::records {

Probes ProbesOf(const isolation::ProbeReport& report) {
  Probes out{.provider = base::RepairUtf8(report.provider),
             .isolation = std::string(isolation::Name(report.tier)),
             .environment = base::RepairUtf8(report.environment),
             .policy = base::RepairUtf8(report.policy),
             .daemon_version = base::RepairUtf8(report.daemon_version),
             .runtime_version = base::RepairUtf8(report.runtime_version),
             .started_unix_ms = report.started_unix_ms,
             .ended_unix_ms = report.ended_unix_ms,
             .probes = {}};
  PLIMSOLL_CHECK(std::ranges::is_sorted(report.probes, {}, &isolation::Probe::id));  // else its digest is another
  for (const isolation::Probe& probe : report.probes) {
    out.probes.push_back({base::RepairUtf8(probe.id), std::string(isolation::Name(probe.outcome)),
                          ProbeDetailDigest(base::RepairUtf8(probe.detail))});
  }
  return out;
}

std::string ProbesDigest(const Probes& probes) {
  Canonical out("plimsoll.ext.probes.v1");
  out.Bytes("provider", probes.provider);
  out.Bytes("isolation", probes.isolation);
  out.Bytes("environment", probes.environment);
  out.Bytes("policy", probes.policy);
  out.Bytes("daemon_version", probes.daemon_version);
  out.Bytes("runtime_version", probes.runtime_version);
  out.Integer("started_unix_ms", probes.started_unix_ms);
  out.Integer("ended_unix_ms", probes.ended_unix_ms);
  out.Count("probes", probes.probes.size());
  for (const ProbeLine& line : probes.probes) {
    out.Bytes("probe", line.probe);
    out.Bytes("outcome", line.outcome);
    out.Bytes("detail_sha256", line.detail_sha256);
  }
  return out.Finish();
}

std::string ProbeDetailDigest(std::string_view happened) { return base::Sha256Hex(happened); }

}  // namespace plimsoll::records
