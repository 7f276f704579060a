#pragma once

#include "base/result.h"
#include "isolation/profile.h"
#include "isolation/tier.h"
#include "run/request.h"

namespace plimsoll::admission {

// What one request is held against.
struct Standing {
  const isolation::Profile& offer;  // of the daemon's provider
  isolation::StatedTier tier;       // the provider's evidence now, never an older answer
  isolation::Floor operator_floor;  // the strongest floor the operator set
};

// May this request run here at all, capacity aside? Order of wire.md 7, Run 5 (disabled) to 10: disabled, grant
// profile, floor, software rule, kind, grant with this kind. Refuses with kDisabled, kPermissionDenied,
// kInsufficientIsolation, kSoftwareMismatch, kUnsupported, or kNotProven for a cell in a language that the environment
// does not state. Takes nothing and reads no clock, so every refusal can be
// replayed (ADM-1).
base::Status MayRun(const run::Request& request, const Standing& standing);

// May a session be opened here, places and capacity aside? Order of sessions.md 5, 3 to 5: disabled, sessions offered,
// floor, software rule. Refuses with kDisabled, kUnsupported, kInsufficientIsolation or kSoftwareMismatch. As pure as
// MayRun.
base::Status MayOpen(isolation::Floor floor, const run::SoftwareRuleDraft& rule, const Standing& standing);

// The environment that would run this kind, or null when the provider does not offer it.
const isolation::Environment* EnvironmentFor(run::Kind kind, const isolation::Profile& offer);

}  // namespace plimsoll::admission
