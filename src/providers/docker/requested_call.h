#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "isolation/tier.h"
#include "providers/docker/plans.h"
#include "providers/docker/sandbox.h"
#include "run/request.h"
#include "run/result.h"

namespace plimsoll::docker {

// What a request means for the sandbox that serves it: pure, and the same for a run and for a call of a kept sandbox.
// Requests are snippets and projects, unless a function says otherwise.

const Times& TimesOf(run::Kind kind);
// The request's timeout, cut to the ceiling of its kind.
std::chrono::milliseconds BudgetOf(const run::Request& request);

// What the provider serves of any request: its kind, and no grant.
std::optional<base::Refusal> RefuseKindOrGrant(const run::Request& request);
// The request's floor and software rule against the image and the tier of the sandbox that serves it (DOC-8).
std::optional<base::Refusal> RefuseState(const run::Request& request, const State& state, Role role);

frames::agent::Kind KindOf(const run::Request& request);
frames::agent::Plan PlanOf(const Sandbox& sandbox, const run::Request& request);
// Views into the request.
std::vector<CallFile> FilesOf(const run::Request& request);

// As SnippetVerdict and ProjectVerdict.
base::Result<run::Result> VerdictOf(const CallEnd& end, CallTranscript& transcript, const run::Request& request,
                                    base::SteadyTime deadline);
// What is stated of a call that `sandbox` has served.
run::Report ReportOf(const Sandbox& sandbox, run::Result result, std::chrono::milliseconds duration);

}  // namespace plimsoll::docker
