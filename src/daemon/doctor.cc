#include "daemon/doctor.h"

#include <algorithm>
#include <chrono>

#include "daemon/log_escape.h"
#include "daemon/log_sink.h"
#include "records/probes.h"

namespace plimsoll::daemon {
namespace {

using Result = Examination::Result;

constexpr std::chrono::seconds kDrainLimit{30};

std::string_view Word(Result result) {
  switch (result) {
    case Result::kNotTried: return "not tried";
    case Result::kPassed: return "passed";
    case Result::kFailed: return "failed: see the start errors";
  }
  return "unknown";  // unreachable: the switch is complete and -Wswitch keeps it so
}

std::string TimeText(std::int64_t unix_ms) { return Rfc3339(base::WallTime(std::chrono::milliseconds(unix_ms))); }

std::string ProbeLine(const isolation::Probe& probe, std::size_t width) {
  std::string id = EscapedText(probe.id);
  id.resize(std::max(width, id.size()), ' ');
  const std::string time_of_day = TimeText(probe.at_unix_ms).substr(11, 12);
  return "  " + std::string(isolation::Name(probe.outcome)) + "  " + id + "  " + time_of_day + "  " +
         EscapedText(probe.tried) + ": " + EscapedText(probe.detail) + "\n";
}

std::string BatteryText(const isolation::ProbeReport& report) {
  std::size_t width = 0;
  for (const isolation::Probe& probe : report.probes) {
    width = std::max(width, EscapedText(probe.id).size());
  }
  std::string text = "\nProbes\n  " + EscapedText(report.provider) + ", isolation " +
                     std::string(isolation::Name(report.tier)) + ", " + EscapedText(report.runtime_version) + ", " +
                     TimeText(report.started_unix_ms) + " to " + TimeText(report.ended_unix_ms) + "\n  report " +
                     records::ProbesDigest(records::ProbesOf(report)) + "\n";
  for (const isolation::Probe& probe : report.probes) {
    text += ProbeLine(probe, width);
  }
  return text;
}

}  // namespace

Examination Examine(Plan& plan, const base::Clock& clock, Depth depth) {
  Examination out;
  if (!plan.errors.empty() || !plan.provider) {
    return out;
  }
  auto failed = ProveProvider(plan, clock, Depth::kPreflight);
  out.preflight = failed ? Result::kFailed : Result::kPassed;
  if (!failed && depth == Depth::kSmokeTest) {
    failed = ProveProvider(plan, clock, Depth::kSmokeTest);
    out.smoke_test = failed ? Result::kFailed : Result::kPassed;
    out.battery = plan.provider->LastBattery();
  }
  if (!failed && out.smoke_test == Result::kPassed) {
    failed = CompareTier(plan);
  }
  if (!failed && out.smoke_test == Result::kPassed && plan.sessions.caps.max > 0) {
    failed = ProveSessions(plan, clock);
    out.session = failed ? Result::kFailed : Result::kPassed;
  }
  if (!failed) {
    failed = JudgeHardened(plan);
  }
  if (failed) {
    plan.errors.push_back(*std::move(failed));
  }
  // What is left has a label that a later reaper goes by.
  static_cast<void>(plan.provider->Drain(clock.Steady() + kDrainLimit));
  return out;
}

std::string ExaminationText(const Plan& plan, const Examination& examination) {
  std::string text = "\nProvider " + std::string(plan.posture.facts.name) + "\n  preflight " +
                     std::string(Word(examination.preflight)) + "\n  smoke test " +
                     std::string(Word(examination.smoke_test)) + "\n";
  if (examination.session != Result::kNotTried) {
    text += "  session " + std::string(Word(examination.session)) + "\n";
  }
  return text + (examination.battery ? BatteryText(*examination.battery) : "");
}

}  // namespace plimsoll::daemon
