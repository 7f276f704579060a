#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "admission/ledger.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "isolation/tier.h"
#include "provider/provider.h"
#include "records/chain.h"
#include "records/record.h"
#include "run/request.h"
#include "run/result.h"

namespace plimsoll::dispatch {

// When a request reached its handler: the start of its record's times (records.md 4.4).
struct Received {
  base::WallTime wall;
  base::SteadyTime steady;
};

// One validated request of one caller.
struct Call {
  run::Request request;
  std::string principal;
  bool identified = false;  // whether `principal` is an identity that a grant may name
  Received received;
  // The caller's own deadline for the whole exchange, where it stated one.
  std::optional<base::SteadyTime> exchange_deadline = {};
  // Requested when the caller has left or its deadline has passed.
  std::stop_token client_gone = {};
};

struct Answer {
  run::Report report;
  records::Record record;
};

// Refuses kDeadlinePassed or kCanceled when nobody waits for the answer any more: the caller's deadline has passed, or
// it has left.
base::Status StillWaiting(const std::optional<base::SteadyTime>& deadline, const std::stop_token& client_gone,
                          base::SteadyTime now);

// A provider knows that it was told to stop, and not why: a kCanceled of it is kDeadlinePassed where the caller's own
// deadline has passed. Any other refusal as it is.
base::Refusal WithCause(base::Refusal refusal, const std::optional<base::SteadyTime>& deadline, base::SteadyTime now);

// The place of a call in its session, and what the session stated when it was opened: the evidence of a call that got
// no answer. The report has no result.
struct SessionPlace {
  const records::Chain& chain;
  const run::Report& stated;
};

// A call that its provider has ended.
struct Ended {
  const Call& call;
  base::SteadyTime dispatched;
  base::Result<run::Report> outcome;
  const SessionPlace* place = nullptr;  // null: a single run
};

// What is answered. `unanswered` is set with the Fault of a session's call, and then alone.
struct Concluded {
  base::Result<Answer> answer;
  std::optional<records::Record> unanswered = {};
};

// The Connect code, in words, that a Fault of this kind is answered with, for the record of an unanswered call. Of the
// kinds that leave the daemon.
std::string_view UnansweredCode(base::FaultKind kind);

// An Answer, a Refusal (nothing ran), or a Fault whose detail is fit to be sent: for kInternal an error id and a fixed
// sentence, the true text being in the log under that id.
using CallDone = base::UniqueFunction<void(base::Result<Answer>)>;

struct Options {
  isolation::Floor operator_floor = isolation::Floor::Absent();
  admission::Quotas quotas;
};

// Counters since the start, for the metrics page.
struct Totals {
  std::uint64_t dispatched = 0;
  std::uint64_t faults = 0;
  int in_flight = 0;
  std::uint64_t shed_at_capacity = 0;
  std::uint64_t shed_per_key = 0;
  std::uint64_t shed_rate = 0;
  std::array<std::uint64_t, 7> refusals_by_reason{};  // in base::Reason's order
};

// Takes a validated request through admission, floor and provider to its record: every decision after validation, in
// the order of wire.md 7 (Run 6-15). May be called from any thread.
class Dispatcher {
 public:
  // All references must outlive the dispatcher. It must outlive the end of every call and of every sandbox whose slots
  // the provider kept.
  Dispatcher(Options options, provider::Provider& provider, const base::Clock& clock, base::Random& random,
             base::LogSink& log);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // Calls `done` exactly once, possibly before returning.
  void Run(Call call, CallDone done);

  // For a call that is not dispatched here, as one of a session. Takes a run slot and a rate token of this caller, or
  // refuses kAtCapacity. The slot must be given back before the dispatcher goes.
  base::Result<base::Cleanup> TakeSlot(const std::string& principal);
  // Takes a rate token alone.
  base::Status TakeToken(const std::string& principal);
  // Turns the end of a call into its answer, its record and its audit line. The records of one session are made one
  // after another.
  Concluded Conclude(Ended ended);
  // The fault as a caller may see it; an internal one is logged under its id with `message`.
  base::Fault ConcludeFault(const base::Fault& fault, std::string_view message);

  // Counts a refusal that was decided before Run, so that totals cover every refusal of a procedure.
  void CountRefusal(const base::Refusal& refusal);

  const provider::Provider& provider() const { return provider_; }
  const base::Clock& clock() const { return clock_; }
  Totals totals() const;

 private:
  struct Pending;
  struct State;

  base::Result<base::Cleanup> Admit(const Call& call);
  void Start(std::shared_ptr<Pending> pending);
  void Finish(Pending& pending, base::Result<run::Report> outcome);
  Concluded ConcludeFailed(const Ended& ended, const base::Fault& reported);
  base::Fault Public(const base::Fault& fault, std::string& error_id);

  Options options_;
  provider::Provider& provider_;
  const base::Clock& clock_;
  base::Random& random_;
  base::LogSink& log_;
  std::unique_ptr<State> state_;
};

}  // namespace plimsoll::dispatch
