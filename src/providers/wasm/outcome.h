#pragma once

#include <chrono>

#include "frames/frame.h"
#include "providers/wasm/intake.h"
#include "providers/wasm/ticket.h"

namespace plimsoll::wasm {

// The outcome of a run whose worker told its end in time: exit 134 after a trap, otherwise the guest's own exit code.
Outcome EndedOutcome(Intake::Output output, const frames::Ended& ended, std::chrono::microseconds duration);

// The outcome of a run whose deadline has passed: exit 124, with what was printed until then.
Outcome TimedOutOutcome(Intake::Output output, std::chrono::microseconds duration);

}  // namespace plimsoll::wasm
