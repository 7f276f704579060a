#include "admission/ledger.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/check.h"

namespace plimsoll::admission {
namespace {

using std::chrono::duration;

constexpr std::chrono::minutes kForgetAfter{2};

double TokensPerSecond(const Quotas& quotas) { return quotas.rate_per_minute / 60.0; }

}  // namespace

std::string_view Name(Shed shed) {
  switch (shed) {
    case Shed::kAtCapacity: return "at_capacity";
    case Shed::kPerKey: return "per_key";
    case Shed::kRate: return "rate";
  }
  return "";  // unreachable: the switch is complete and -Wswitch keeps it so
}

base::Status Ledger::Admit(std::string_view principal, base::SteadyTime now) {
  Forget(now);
  if (in_flight_ >= quotas_.max_concurrent) {
    return Refuse(Shed::kAtCapacity,
                  "capacity: all " + std::to_string(quotas_.max_concurrent) + " run slots are taken");
  }
  Caller& caller = CallerAt(principal, now);
  if (quotas_.per_caller_concurrent > 0 && caller.running >= quotas_.per_caller_concurrent) {
    return Refuse(Shed::kPerKey, "capacity: all " + std::to_string(quotas_.per_caller_concurrent) +
                                     " run slots of this caller are taken");
  }
  if (base::Status token = TakeToken(caller); !token) {
    return token;
  }
  ++caller.running;
  ++in_flight_;
  return base::Ok();
}

base::Status Ledger::TakeToken(std::string_view principal, base::SteadyTime now) {
  Forget(now);
  return TakeToken(CallerAt(principal, now));
}

base::Status Ledger::TakeToken(Caller& caller) {
  if (quotas_.rate_per_minute == 0) {
    return base::Ok();
  }
  if (caller.tokens >= 1) {
    caller.tokens -= 1;
    return base::Ok();
  }
  base::Refusal refusal = Refuse(
      Shed::kRate, "capacity: more than " + std::to_string(quotas_.rate_per_minute) + " runs a minute by this caller");
  const duration<double> due((1 - caller.tokens) / TokensPerSecond(quotas_));
  refusal.retry_after = std::chrono::ceil<std::chrono::milliseconds>(due);
  return refusal;
}

void Ledger::Release(std::string_view principal) {
  const auto found = callers_.find(principal);
  PLIMSOLL_CHECK(found != callers_.end() && found->second.running > 0 && in_flight_ > 0);
  --found->second.running;
  --in_flight_;
}

Ledger::Caller& Ledger::CallerAt(std::string_view principal, base::SteadyTime now) {
  const auto burst = static_cast<double>(quotas_.rate_burst);
  auto found = callers_.find(principal);
  if (found == callers_.end()) {
    found = callers_.emplace(std::string(principal), Caller{0, burst, now}).first;
  }
  Caller& caller = found->second;
  const double elapsed = duration<double>(std::max(now, caller.filled) - caller.filled).count();
  caller.tokens = std::min(burst, caller.tokens + elapsed * TokensPerSecond(quotas_));
  caller.filled = std::max(now, caller.filled);
  return caller;
}

// ADM-3: a bucket goes only when it is full again, so forgetting it gives no token away.
void Ledger::Forget(base::SteadyTime now) {
  if (now - swept_ < kForgetAfter) {
    return;
  }
  swept_ = now;
  std::erase_if(callers_, [&](const auto& entry) {
    const Caller& caller = entry.second;
    const auto unused = now - caller.filled;
    const double refilled = caller.tokens + duration<double>(unused).count() * TokensPerSecond(quotas_);
    return caller.running == 0 && unused >= kForgetAfter &&
           (quotas_.rate_per_minute == 0 || refilled >= quotas_.rate_burst);
  });
}

base::Refusal Ledger::Refuse(Shed reason, std::string message) {
  ++shed_[static_cast<int>(reason)];
  return base::Refusal{base::Rule::kAtCapacity, std::move(message)};
}

}  // namespace plimsoll::admission
