#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "providers/docker/sandbox.h"
#include "run/request.h"
#include "run/result.h"

namespace plimsoll::docker {

// What a call's end means for a run, without a clock or an engine: pure. A run without evidence of its start is never a
// result (DOC-4); what ended it is decided by the instant its last exit was heard; details are our own words, and an
// agent's only while no guest process had been started. `deadline` is the end of the run's budget.
base::Result<run::JavaScriptResult> SnippetVerdict(const CallEnd& end, CallTranscript& transcript,
                                                   base::SteadyTime deadline);

// Outcomes 1 to 5 of providers-local.md 8.3.
base::Result<run::ProjectResult> ProjectVerdict(const CallEnd& end, CallTranscript& transcript,
                                                const run::Project& project, base::SteadyTime deadline);

}  // namespace plimsoll::docker
