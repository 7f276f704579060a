#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "admission/ledger.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "isolation/tier.h"
#include "provider/provider.h"
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
  bool identified = false;  // whether `principal` is an identity a grant may name
  Received received;
  // The caller's own deadline for the whole exchange, where it stated one.
  std::optional<base::SteadyTime> exchange_deadline;
  std::stop_token client_gone;
};

struct Answer {
  run::Report report;
  records::Record record;
};

// An Answer, a Refusal (nothing ran), or a Fault whose detail is fit to be sent: an error id and a fixed sentence.
using CallDone = base::UniqueFunction<void(base::Result<Answer>)>;

struct Options {
  isolation::Floor operator_floor = isolation::Floor::Absent();
  admission::Quotas quotas;
};

// Takes a validated request through admission, floor and provider to its record. Every decision after validation is
// made here, in the order of wire.md 7 (Run 6-15). May be called from any thread.
class Dispatcher {
 public:
  // All references must outlive the dispatcher and every call's end.
  Dispatcher(Options options, provider::Provider& provider, const base::Clock& clock, base::Random& random,
             base::LogSink& log);
  ~Dispatcher();

  // Calls `done` exactly once, possibly before returning.
  void Run(Call call, CallDone done);

  const provider::Provider& provider() const { return provider_; }
  base::Clock const& clock() const { return clock_; }

  // Runs dispatched and not yet ended.
  int in_flight() const;

 private:
  struct Pending;
  struct State;
  void Finish(std::shared_ptr<Pending> pending, base::Result<run::Report> ended);

  Options options_;
  provider::Provider& provider_;
  const base::Clock& clock_;
  base::Random& random_;
  base::LogSink& log_;
  std::unique_ptr<State> state_;
};

}  // namespace plimsoll::dispatch
