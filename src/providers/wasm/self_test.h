#pragma once

#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "isolation/probe_report.h"
#include "providers/wasm/worker_link.h"

namespace plimsoll::wasm {

// What a self-test tried and saw, one probe for each thing, sorted by id; and whether all of it was as it must be.
struct SelfTest {
  base::Status status;
  std::vector<isolation::Probe> probes;
};

// Proves in throwaway workers, all at once, that the program runs a snippet, lets a guest catch running out of a small
// memory, and is stopped at its deadline both in a polled loop and in a builtin that never polls
// (providers-local.md 3.6). About 60 ms. Fault kInternal naming the first probe that misbehaves, kDeadline when the
// answers do not come in time.
SelfTest TestWorkers(const WorkerProgram& program, base::SteadyTime deadline, const base::Clock& clock,
                     base::Random& random, base::LogSink& log);

}  // namespace plimsoll::wasm
