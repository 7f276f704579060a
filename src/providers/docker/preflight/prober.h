#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "http/client.h"
#include "providers/docker/address.h"
#include "providers/docker/preflight/agent_program.h"
#include "providers/docker/preflight/file_digest.h"
#include "providers/docker/settings.h"
#include "providers/docker/state.h"

namespace plimsoll::docker {

// What a preflight reaches outside this process: the real ones, or a test's.
struct Outside {
  ReadFile read;
  LookAtFile look;
  DigestFile digest;
  std::uint32_t own_uid = 0;
  // The absolute path of the engine's socket. Called until it succeeds once, never again.
  std::function<base::Result<std::string>(const Settings&)> resolve;
  std::function<base::Result<std::unique_ptr<Engine>>(std::string socket_path)> open;
};

// How one walk through the steps ended. `is_moved` tells the last step, in which an image is no longer the proven one,
// from every other: the wall itself still stands (6.1).
struct Walked {
  base::Result<std::shared_ptr<const State>> result;
  bool is_moved = false;
};

// Walks through the ten steps of providers-local.md 6.1, and the checks of the files that are mounted, in order; the
// first failure ends the walk. Keeps the address and the engine of the first success. Not thread-safe.
class Prober {
 public:
  // All must outlive it.
  Prober(const Settings& settings, Outside outside, const base::Clock& clock, base::LogSink& log);

  // `proof` is the state that a smoke test has passed for; null before one has.
  Walked Walk(const State* proof, const http::Bounds& bounds);

 private:
  base::Status Establish(State& state, const http::Bounds& bounds);
  base::Status CheckSettings(State& state);
  base::Status CheckMounted(State& state);
  base::Status OpenEngine(State& state);
  base::Status AskEngine(State& state, const http::Bounds& bounds);
  std::string RuntimeOf(isolation::Tier tier);
  base::Status ChoosePlatform(State& state);
  base::Status InspectImage(State& state, Role role, const std::string& reference, const http::Bounds& bounds);
  base::Status CheckProof(const State& state, const State& proof) const;
  // The refusal for a call of the engine that gave nothing; its detail goes to the log, at most once in 30 s.
  base::Refusal Unanswered(const EngineError& error);

  const Settings& settings_;
  const Outside outside_;
  const base::Clock& clock_;
  base::LogSink& log_;
  AgentProgram agent_;
  FileDigest runtime_;
  std::string address_;
  std::shared_ptr<Engine> engine_;  // every State holds it: a run keeps the engine it began with
  EngineVersion version_;           // of this walk
  EngineInfo info_;
  std::optional<base::SteadyTime> last_logged_;
};

}  // namespace plimsoll::docker
