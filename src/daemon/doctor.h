#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "daemon/plan.h"
#include "daemon/proof.h"
#include "isolation/probe_report.h"

namespace plimsoll::daemon {

// What `plimsolld doctor` tried beyond settling settings.
struct Examination {
  enum class Result { kNotTried, kPassed, kFailed };
  Result preflight = Result::kNotTried;
  Result smoke_test = Result::kNotTried;
  Result session = Result::kNotTried;  // only while sessions are on
  // What the smoke test tried and saw, also when it failed; null where there is none.
  std::shared_ptr<const isolation::ProbeReport> battery = nullptr;
};

// Tries what a start would try, as deep as `depth` says, and serves nothing. What would stop the start is added to the
// plan's errors; its rules are judged again on what was proved. Nothing is tried where the plan has errors or no
// provider: a start would not come that far. Leaves no sandbox.
Examination Examine(Plan& plan, const base::Clock& clock, Depth depth);

// The examination for a person, in lines that end in a newline.
std::string ExaminationText(const Plan& plan, const Examination& examination);

}  // namespace plimsoll::daemon
