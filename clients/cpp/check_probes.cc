#include "clients/cpp/check_probes.h"

#include <string>
#include <utility>

#include "records/probes.h"
#include "records/restate.h"

namespace plimsoll::client {
namespace {

Error Mismatch(std::string what) {
  return {.error_class = ErrorClass::kEvidenceMismatch,
          .code = Code::kDataLoss,
          .http_status = 200,
          .message = "the probe report does not hold: " + std::move(what)};
}

records::Probes HashedFormOf(const Probes& report) {
  auto out = records::ProbesHeadAs<records::Probes>(report);
  for (const Probe& probe : report.probes) {
    out.probes.push_back({probe.probe, probe.outcome, probe.detail_sha256});
  }
  return out;
}

bool IsOutcome(std::string_view outcome) { return outcome == "pass" || outcome == "fail" || outcome == "skip"; }

}  // namespace

Result<Probes> CheckProbes(ProbeReportAnswer answer, std::string_view asked) {
  Probes report = std::move(answer.report);
  if (report.sha256 != records::ProbesDigest(HashedFormOf(report))) {
    return Mismatch("its own digest is another");
  }
  if (!asked.empty() && report.sha256 != asked) {
    return Mismatch("it is not the one asked for");
  }
  if (answer.details.size() != report.probes.size()) {
    return Mismatch("probes and texts are not as many");
  }
  for (std::size_t i = 0; i < report.probes.size(); ++i) {
    Probe& probe = report.probes[i];
    Probe& detail = answer.details[i];
    if (!IsOutcome(probe.outcome)) {
      return Mismatch("a probe has an outcome this client does not know");
    }
    if (i > 0 && report.probes[i - 1].probe >= probe.probe) {
      return Mismatch("its probes are not sorted");
    }
    if (detail.probe != probe.probe || probe.detail_sha256 != records::ProbeDetailDigest(detail.happened)) {
      return Mismatch("a text is not the one its probe names");
    }
    probe.tried = std::move(detail.tried);
    probe.happened = std::move(detail.happened);
    probe.at_unix_ms = detail.at_unix_ms;
  }
  return report;
}

}  // namespace plimsoll::client
