#include "rpc/extensions.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/utf8.h"
#include "records/probes.h"
#include "rpc/procedures.h"

namespace plimsoll::rpc {
namespace {

using base::Refusal;
using base::Rule;

bool CanDo(const provider::Provider& provider, Procedure procedure) {
  switch (procedure) {
    case Procedure::kRun: return provider.Offer().enabled;
    case Procedure::kDescribe:
    case Procedure::kCapabilities: return true;
    case Procedure::kOpenSession:
    case Procedure::kSessionRun:
    case Procedure::kCloseSession: return false;  // no session can be open here
    case Procedure::kProbeReport: return provider.Probes() != nullptr;
  }
  return false;  // unreachable: the switch is complete and -Wswitch keeps it so
}

ext::v1::Probes MessageOf(const records::Probes& probes) {
  ext::v1::Probes out;
  out.set_provider(probes.provider);
  out.set_isolation(probes.isolation);
  out.set_environment(probes.environment);
  out.set_policy(probes.policy);
  out.set_daemon_version(probes.daemon_version);
  out.set_runtime_version(probes.runtime_version);
  out.set_started_unix_ms(probes.started_unix_ms);
  out.set_ended_unix_ms(probes.ended_unix_ms);
  for (const records::ProbeLine& line : probes.probes) {
    ext::v1::Probe& probe = *out.add_probes();
    probe.set_probe(line.probe);
    probe.set_outcome(line.outcome);
    probe.set_detail_sha256(line.detail_sha256);
  }
  out.set_sha256(records::ProbesDigest(probes));
  return out;
}

x1::ProbeDetail DetailOf(const isolation::Probe& probe) {
  x1::ProbeDetail out;
  out.set_probe(base::RepairUtf8(probe.id));
  out.set_tried(base::RepairUtf8(probe.tried));
  out.set_happened(base::RepairUtf8(probe.detail));
  out.set_at_unix_ms(probe.at_unix_ms);
  return out;
}

}  // namespace

x1::CapabilitiesResponse CapabilitiesOf(const provider::Provider& provider) {
  std::vector<std::string_view> paths;
  for (std::size_t i = 0; i < kProcedureCount; ++i) {
    const auto procedure = static_cast<Procedure>(i);
    if (CanDo(provider, procedure)) {
      paths.push_back(PathOf(procedure));
    }
  }
  std::ranges::sort(paths);
  x1::CapabilitiesResponse out;
  for (const std::string_view path : paths) {
    out.add_procedures(std::string(path));
  }
  return out;
}

base::Result<x1::ProbeReportResponse> ProbeReportOf(const provider::Provider& provider,
                                                    const x1::ProbeReportRequest& request) {
  const std::shared_ptr<const isolation::ProbeReport> report = provider.Probes();
  if (report == nullptr) {
    return Refusal{Rule::kUnsupported, "the provider " + provider.Offer().provider + " has no probe report"};
  }
  x1::ProbeReportResponse out;
  *out.mutable_report() = MessageOf(records::ProbesOf(*report));
  if (!request.sha256().empty() && request.sha256() != out.report().sha256()) {
    return Refusal{Rule::kEvidenceUnknown, "no probe report of this digest is kept; ask without one for that in force"};
  }
  for (const isolation::Probe& probe : report->probes) {
    *out.add_details() = DetailOf(probe);
  }
  return out;
}

}  // namespace plimsoll::rpc
