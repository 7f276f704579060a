#include "providers/wasm/self_test.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/guarded.h"
#include "providers/wasm/pool.h"

namespace plimsoll::wasm {
namespace {

using std::chrono::milliseconds;

// 32 MiB: small enough to fill at once, large enough for the engine itself.
constexpr std::uint32_t kSmallPages = 512;

enum class Memory { kSmall, kAsSet };

struct Probe {
  std::string_view name;
  Memory memory;
  milliseconds budget;
  std::string_view code;
  std::string_view stdout_bytes;
  run::Ending ending;
};

// Goes first on every worker, which starts it: the deadlines below are too short to start a worker in.
constexpr Probe kSnippet{"a snippet",     Memory::kAsSet,      milliseconds(10'000), "console.log('plimsoll', 6*7)",
                         "plimsoll 42\n", run::Ending::kExited};

constexpr std::array kProbes = {
    Probe{"the memory cap", Memory::kSmall, milliseconds(10'000),
          "const held=[];try{for(let i=0;i<64;i++)held.push(new Uint8Array(1048576).fill(1));console.log('no cap')}"
          "catch(e){held.length=0;console.log('caught')}",
          "caught\n", run::Ending::kExited},
    Probe{"the deadline in a loop", Memory::kAsSet, milliseconds(10), "for(;;){}", "", run::Ending::kDeadline},
    Probe{"the deadline in a builtin", Memory::kAsSet, milliseconds(10), "const a='a'.repeat(1e6);(a+a).indexOf(a+'b')",
          "", run::Ending::kDeadline},
};

base::Fault Misbehaved(const Probe& probe, std::string_view what) {
  std::string detail = "the self-test of the wasm worker failed at ";
  detail += probe.name;
  detail += ": ";
  detail += what;
  return {base::FaultKind::kInternal, std::move(detail)};
}

base::Status Check(const Probe& probe, const Outcome& outcome) {
  if (!outcome) {
    return Misbehaved(probe, base::TextOf(outcome.error()));
  }
  const run::JavaScriptResult& result = outcome->result;
  if (result.ending != probe.ending || (probe.ending == run::Ending::kExited && result.exit_code != 0)) {
    return Misbehaved(probe, "it ended in another way (exit code " + std::to_string(result.exit_code) + ")");
  }
  if (result.stdout_bytes != probe.stdout_bytes) {
    return Misbehaved(probe, "it printed something else");
  }
  return base::Ok();
}

// The verdicts, given on the pools' threads and awaited on the caller's.
class Verdicts {
 public:
  void Give(std::size_t probe, base::Status status) {
    auto state = state_.Lock();
    state->given[probe] = std::move(status);
    --state->missing;
    changed_.notify_one();
  }

  // The first failure in the order of the probes.
  base::Status Await(base::SteadyTime deadline) {
    auto state = state_.Lock();
    if (!changed_.wait_until(state.lock(), deadline, [&] { return state->missing == 0; })) {
      return base::Fault{base::FaultKind::kDeadline, "the self-test of the wasm worker did not end in time"};
    }
    for (auto& status : state->given) {
      if (!status->has_value()) {
        return std::move(*status);
      }
    }
    return base::Ok();
  }

 private:
  struct State {
    std::array<std::optional<base::Status>, kProbes.size()> given;
    std::size_t missing = kProbes.size();
  };
  base::Guarded<State> state_;
  std::condition_variable changed_;
};

// Runs one probe on the worker of the principal that has the probe's number.
void RunProbe(Pool& pool, const Probe& probe, std::size_t number, const base::Clock& clock, OutcomeDone done) {
  pool.Run(
      {.code = probe.code, .principal = std::to_string(number), .deadline = clock.Steady() + probe.budget, .stop = {}},
      std::move(done));
}

void StartProbe(Pool& pool, std::size_t number, const base::Clock& clock, Verdicts& verdicts) {
  RunProbe(pool, kSnippet, number, clock, [&pool, number, &clock, &verdicts](Outcome first) {
    if (auto status = Check(kSnippet, first); !status) {
      verdicts.Give(number, std::move(status));
      return;
    }
    RunProbe(pool, kProbes[number], number, clock,
             [number, &verdicts](Outcome outcome) { verdicts.Give(number, Check(kProbes[number], outcome)); });
  });
}

}  // namespace

base::Status TestWorkers(const WorkerProgram& program, base::SteadyTime deadline, const base::Clock& clock,
                         base::Random& random, base::LogSink& log) {
  const FleetOptions on_demand{.fresh_target = 0, .idle_limit = kProbes.size()};
  const WorkerProgram small_program{.path = program.path, .memory_pages = std::min(kSmallPages, program.memory_pages)};
  Verdicts verdicts;
  // After the verdicts: a pool tells every outcome before it is gone.
  auto small = Pool::Create({.program = small_program, .fleet = on_demand}, clock, random, log);
  if (!small) {
    return small.error();
  }
  auto as_set = Pool::Create({.program = program, .fleet = on_demand}, clock, random, log);
  if (!as_set) {
    return as_set.error();
  }
  for (std::size_t i = 0; i < kProbes.size(); ++i) {
    StartProbe(kProbes[i].memory == Memory::kSmall ? **small : **as_set, i, clock, verdicts);
  }
  return verdicts.Await(deadline);
}

}  // namespace plimsoll::wasm
