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
  std::string_view id;
  std::string_view name;
  std::string_view tried;
  Memory memory;
  milliseconds budget;
  std::string_view code;
  std::string_view stdout_bytes;
  run::Ending ending;
};

// Goes first on every worker, which starts it: the deadlines below are too short to start a worker in.
constexpr Probe kSnippet{"snippet/run",   "a snippet",          "ran a snippet that prints a word",
                         Memory::kAsSet,  milliseconds(10'000), "console.log('plimsoll', 6*7)",
                         "plimsoll 42\n", run::Ending::kExited};

constexpr std::array kProbes = {
    Probe{"snippet/memory-cap", "the memory cap", "held 64 MiB of arrays in a memory of 32 MiB", Memory::kSmall,
          milliseconds(10'000),
          "const held=[];try{for(let i=0;i<64;i++)held.push(new Uint8Array(1048576).fill(1));console.log('no cap')}"
          "catch(e){held.length=0;console.log('caught')}",
          "caught\n", run::Ending::kExited},
    Probe{"snippet/deadline-loop", "the deadline in a loop", "looped for ever with 10 ms to run", Memory::kAsSet,
          milliseconds(10), "for(;;){}", "", run::Ending::kDeadline},
    Probe{"snippet/deadline-builtin", "the deadline in a builtin",
          "searched a long text, which never looks at the clock, with 10 ms to run", Memory::kAsSet, milliseconds(10),
          "const a='a'.repeat(1e6);(a+a).indexOf(a+'b')", "", run::Ending::kDeadline},
};

// What came of one probe.
struct Verdict {
  base::Status status = base::Ok();
  isolation::Probe seen;
};

std::string Ended(const RunEnd& end) {
  return "ended with exit code " + std::to_string(end.result.exit_code) + " after " +
         std::to_string(std::chrono::duration_cast<milliseconds>(end.duration).count()) + " ms";
}

// What is wrong with an outcome, in our own words; empty when nothing is.
std::string WrongWith(const Probe& probe, const Outcome& outcome) {
  if (!outcome) {
    return std::string(base::TextOf(outcome.error()));
  }
  const run::JavaScriptResult& result = outcome->result;
  if (result.ending != probe.ending || (probe.ending == run::Ending::kExited && result.exit_code != 0)) {
    return "it ended in another way (exit code " + std::to_string(result.exit_code) + ")";
  }
  return result.stdout_bytes == probe.stdout_bytes ? "" : "it printed something else";
}

isolation::Probe Seen(const Probe& probe, isolation::Probe::Outcome outcome, std::string detail,
                      const base::Clock& clock) {
  return {.id = std::string(probe.id),
          .outcome = outcome,
          .tried = std::string(probe.tried),
          .detail = std::move(detail),
          .at_unix_ms = std::chrono::floor<milliseconds>(clock.Wall().time_since_epoch()).count()};
}

Verdict Judge(const Probe& probe, const Outcome& outcome, const base::Clock& clock) {
  std::string wrong = WrongWith(probe, outcome);
  if (wrong.empty()) {
    return {base::Ok(), Seen(probe, isolation::Probe::Outcome::kPass, Ended(*outcome), clock)};
  }
  std::string text = "the self-test of the wasm worker failed at ";
  text.append(probe.name).append(": ").append(wrong);
  return {base::Fault{base::FaultKind::kInternal, std::move(text)},
          Seen(probe, isolation::Probe::Outcome::kFail, std::move(wrong), clock)};
}

// What one worker showed: the snippet that starts it, then its own probe where the snippet went well.
struct Shown {
  Verdict snippet;
  std::optional<Verdict> probe;
};

// What the workers showed, told on the pools' threads and awaited on the caller's.
class Verdicts {
 public:
  void Give(std::size_t worker, Shown shown) {
    auto state = state_.Lock();
    state->given[worker] = std::move(shown);
    --state->missing;
    changed_.notify_one();
  }

  SelfTest Await(base::SteadyTime deadline, const base::Clock& clock) {
    auto state = state_.Lock();
    const bool all = changed_.wait_until(state.lock(), deadline, [&state = *state] { return state.missing == 0; });
    SelfTest out{.status = base::Ok(), .probes = {}};
    if (!all) {
      out.status = base::Fault{base::FaultKind::kDeadline, "the self-test of the wasm worker did not end in time"};
    }
    AddSnippet(*state, out, clock);
    for (std::size_t i = 0; i < kProbes.size(); ++i) {
      AddProbe(kProbes[i], state->given[i], out, clock);
    }
    std::ranges::sort(out.probes, {}, &isolation::Probe::id);
    return out;
  }

 private:
  struct State {
    std::array<std::optional<Shown>, kProbes.size()> given;
    std::size_t missing = kProbes.size();
  };

  // The first failure is the status; every verdict is a probe.
  static void Add(Verdict verdict, SelfTest& out) {
    if (out.status && !verdict.status) {
      out.status = std::move(verdict.status);
    }
    out.probes.push_back(std::move(verdict.seen));
  }

  // One probe for the snippets of all workers: a failed one stands for them.
  static void AddSnippet(State& state, SelfTest& out, const base::Clock& clock) {
    std::optional<Verdict> told;
    for (const std::optional<Shown>& shown : state.given) {
      if (shown && (!told || (told->status && !shown->snippet.status))) {
        told = shown->snippet;
      }
    }
    Add(told ? *std::move(told) : NoAnswer(kSnippet, clock), out);
  }

  static void AddProbe(const Probe& probe, std::optional<Shown>& shown, SelfTest& out, const base::Clock& clock) {
    if (!shown) {
      return Add(NoAnswer(probe, clock), out);
    }
    if (!shown->probe) {
      return Add({base::Ok(), Seen(probe, isolation::Probe::Outcome::kSkip,
                                   "not tried: the snippet before it failed on this worker", clock)},
                 out);
    }
    Add(*std::move(shown->probe), out);
  }

  static Verdict NoAnswer(const Probe& probe, const base::Clock& clock) {
    return {base::Ok(), Seen(probe, isolation::Probe::Outcome::kFail, "no answer in time", clock)};
  }

  base::Guarded<State> state_;
  std::condition_variable changed_;
};

// Runs one probe on the worker of the principal that has the probe's number.
void RunProbe(Pool& pool, const Probe& probe, std::size_t number, const base::Clock& clock, OutcomeDone done) {
  pool.Run(
      {.code = probe.code, .principal = std::to_string(number), .deadline = clock.Steady() + probe.budget, .stop = {}},
      std::move(done));
}

void StartWorker(Pool& pool, std::size_t number, const base::Clock& clock, Verdicts& verdicts) {
  RunProbe(pool, kSnippet, number, clock, [&pool, number, &clock, &verdicts](Outcome first) {
    Verdict snippet = Judge(kSnippet, first, clock);
    if (!snippet.status) {
      verdicts.Give(number, {std::move(snippet), std::nullopt});
      return;
    }
    RunProbe(pool, kProbes[number], number, clock,
             [number, &clock, &verdicts, snippet = std::move(snippet)](Outcome outcome) mutable {
               verdicts.Give(number, {std::move(snippet), Judge(kProbes[number], outcome, clock)});
             });
  });
}

}  // namespace

SelfTest TestWorkers(const WorkerProgram& program, base::SteadyTime deadline, const base::Clock& clock,
                     base::Random& random, base::LogSink& log) {
  const FleetOptions on_demand{.fresh_target = 0, .idle_limit = kProbes.size()};
  const WorkerProgram small_program{.path = program.path, .memory_pages = std::min(kSmallPages, program.memory_pages)};
  Verdicts verdicts;
  // After the verdicts: a pool tells every outcome before it is gone.
  auto small = Pool::Create({.program = small_program, .fleet = on_demand}, clock, random, log);
  if (!small) {
    return {.status = small.error(), .probes = {}};
  }
  auto as_set = Pool::Create({.program = program, .fleet = on_demand}, clock, random, log);
  if (!as_set) {
    return {.status = as_set.error(), .probes = {}};
  }
  for (std::size_t i = 0; i < kProbes.size(); ++i) {
    StartWorker(kProbes[i].memory == Memory::kSmall ? **small : **as_set, i, clock, verdicts);
  }
  return verdicts.Await(deadline, clock);
}

}  // namespace plimsoll::wasm
