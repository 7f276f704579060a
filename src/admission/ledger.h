#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace plimsoll::admission {

// What the operator allows at once and per minute. Values in force, after clamping (daemon.md 7.2).
struct Quotas {
  int max_concurrent = 8;
  int per_caller_concurrent = 4;  // 0: no cap
  int rate_per_minute = 30;       // 0: no limit
  int rate_burst = 30;
};

// Why an arrival was shed: the label of plimsoll_shed_total.
enum class Shed { kAtCapacity, kPerKey, kRate };
std::string_view Name(Shed shed);

// Slots and rate tokens of all callers. A pure value: time is an argument, nothing is waited for. Not thread-safe.
class Ledger {
 public:
  explicit Ledger(Quotas quotas) : quotas_(quotas) {}

  // Takes a global slot, one of the caller's slots and a rate token, in this order, or takes nothing and refuses
  // kAtCapacity; a rate refusal states when the next token is due.
  base::Status Admit(std::string_view principal, base::SteadyTime now);
  // Takes a rate token alone, for a call that runs in slots which its session holds already; refuses as Admit does.
  base::Status TakeToken(std::string_view principal, base::SteadyTime now);
  // Gives back both slots of one admitted run.
  void Release(std::string_view principal);

  int in_flight() const { return in_flight_; }
  // Arrivals shed since the start, by reason.
  std::uint64_t shed(Shed reason) const { return shed_[static_cast<int>(reason)]; }

 private:
  struct Caller {
    int running = 0;
    double tokens = 0;
    base::SteadyTime filled;
  };
  base::Status TakeToken(Caller& caller);
  Caller& CallerAt(std::string_view principal, base::SteadyTime now);
  void Forget(base::SteadyTime now);
  base::Refusal Refuse(Shed reason, std::string message);

  Quotas quotas_;
  std::map<std::string, Caller, std::less<>> callers_;
  base::SteadyTime swept_{};
  int in_flight_ = 0;
  std::uint64_t shed_[3] = {};
};

}  // namespace plimsoll::admission
