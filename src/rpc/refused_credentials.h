#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"

namespace plimsoll::rpc {

// Counts refused credentials and says so at most once in 30 s, with the count alone: no part of an attempt is logged.
// Methods may be called from any thread.
class RefusedCredentials {
 public:
  // Both must outlive this.
  RefusedCredentials(const base::Clock& clock, base::LogSink& log) : clock_(clock), log_(log) {}

  void Count();
  // Since the start.
  std::uint64_t total() const;

 private:
  struct Tally {
    std::uint64_t total = 0;
    std::uint64_t unsaid = 0;
    std::optional<base::SteadyTime> said;
  };
  const base::Clock& clock_;
  base::LogSink& log_;
  mutable base::Guarded<Tally> tally_;
};

}  // namespace plimsoll::rpc
