#include "rpc/refused_credentials.h"

#include <chrono>
#include <optional>
#include <utility>

namespace plimsoll::rpc {
namespace {

constexpr std::chrono::seconds kBetweenWarnings{30};

}  // namespace

void RefusedCredentials::Count() {
  std::uint64_t count = 0;
  {
    const base::SteadyTime now = clock_.Steady();
    auto tally = tally_.Lock();
    ++tally->total;
    ++tally->unsaid;
    const std::optional<base::SteadyTime> said = tally->said;
    if (said && now - *said < kBetweenWarnings) {
      return;
    }
    tally->said = now;
    count = std::exchange(tally->unsaid, 0);
  }
  const base::LogField field{"count", count};
  log_.Write(base::Severity::kWarn, "credentials refused", {&field, 1});
}

std::uint64_t RefusedCredentials::total() const { return tally_.Lock()->total; }

}  // namespace plimsoll::rpc
