#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "http/client.h"
#include "provider/sandbox.h"
#include "providers/docker/engine/engine.h"
#include "providers/docker/sandbox.h"
#include "run/session_end.h"

namespace plimsoll::docker {

// The container of a kept sandbox, and what is done with it: taken in, called, swept up, frozen, removed. Blocking; one
// thread at a time. Every method ends early when the `removal` it is given is requested; what it says then is worth
// nothing but that the container must be removed.
class KeptContainer {
 public:
  struct Tools {  // all outlive it
    Launcher& launcher;
    const base::Clock& clock;
    base::LogSink& log;
    std::uint64_t disk_budget = 0;  // bytes; 0: not measured
  };
  KeptContainer(const Tools& tools, std::unique_ptr<Sandbox> sandbox) : tools_(tools), sandbox_(std::move(sandbox)) {}

  const Sandbox& sandbox() const { return *sandbox_; }

  // The checks of sessions.md 11.1, and a first sweep: that the agent is the only process. What is read here is what
  // later calls find again. Before the first call; a Fault says that it may not be used.
  base::Status Accept(const http::Bounds& bounds);

  // One call: thaws, reads back, and starts the call's own time. `ended` of the answer: it serves no other.
  provider::KeptCall Call(const provider::Order& order, const std::stop_token& removal);
  // What follows a call, once its answer is given. The end of the sandbox when it is not clean.
  std::optional<run::SessionEnded> SweepUp(const std::stop_token& removal);
  // Freezes it until the next call. After a Fault its state is unknown.
  base::Status Suspend(const http::Bounds& bounds);

  // True when it is gone; may be asked again.
  bool Remove();
  // For one that is given up.
  std::unique_ptr<Sandbox> TakeSandbox() { return std::move(sandbox_); }

 private:
  struct Looked {
    std::optional<ContainerRecord> record = {};
    bool is_gone = false;  // neither: the engine cannot say
  };
  std::optional<base::Refusal> Refuse(const run::Request& request) const;
  std::optional<provider::KeptCall> MakeReady(const std::stop_token& stop, const std::stop_token& removal);
  std::optional<run::SessionEnded> Resume(const std::stop_token& removal);
  std::optional<provider::KeptCall> ReadBack(const std::stop_token& stop);
  provider::KeptCall NotPrepared(const base::Error& error, const provider::Order& order,
                                 const std::stop_token& removal);
  std::optional<run::SessionEnded> EndOfCall(CallEnd& end);
  provider::KeptCall Answer(const provider::Order& order, CallEnd end, base::SteadyTime deadline);
  void CheckAfter(provider::KeptCall& answer);
  Looked Look(const http::Bounds& bounds);
  Looked LookUntilThawed(const std::stop_token& stop);
  run::SessionEnded Doubt(std::string detail);
  base::SteadyTime In(std::chrono::milliseconds time) const { return tools_.clock.Steady() + time; }
  void Note(std::string_view message, std::string_view detail) const;

  const Tools tools_;
  std::unique_ptr<Sandbox> sandbox_;
  ContainerRecord opened_ = {};
  bool is_paused_ = false;
  bool is_thawing_ = false;   // resumed for the present call
  bool is_unswept_ = false;   // a call was opened since the last clean sweep
  base::SteadyTime began_{};  // of the last call
};

}  // namespace plimsoll::docker
