#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "isolation/tier.h"
#include "provider/provider.h"

namespace plimsoll::sessions {

// What a proof may take: a call 30 s, all of it 2 min, and the sandbox's stated end of life (sessions.md 11.5).
struct ProofLimits {
  base::WallTime ends;
  base::SteadyTime deadline;
};

// Shows in one real sandbox what every session promises: a file stays, a process does not, an exit code comes back, and
// all of it holds after a suspend. Blocks. A Fault names what was not shown; a Refusal is the provider's own. The
// provider must offer sessions and snippets.
base::Status ProveSessions(provider::Provider& provider, const ProofLimits& limits);

}  // namespace plimsoll::sessions
