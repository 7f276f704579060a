#include "daemon/background.h"

#include <array>

#include "os/thread_name.h"

namespace plimsoll::daemon {

Background::Background(provider::Provider& provider, isolation::StatedTier proved, const base::Clock& clock,
                       base::LogSink& log)
    : provider_(provider),
      proved_(isolation::Floor::At(proved.value_or(isolation::Tier::kNone))),
      clock_(clock),
      log_(log) {}

void Background::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    os::NameThisThread("background");
    std::unique_lock lock(mutex_);
    do {
      Turn();
    } while (!stopping_.wait_for(lock, stop, kEvery, [&stop] { return stop.stop_requested(); }));
  });
}

// A lapsed proof goes first: what can be served again matters more than what can be swept up.
void Background::Turn() {
  RenewProof();
  ReapOrphans();
}

void Background::RenewProof() {
  const isolation::StatedTier now = provider_.Tier();
  if (now && proved_.MetBy(now)) {
    return;
  }
  const base::Status status = provider_.Preflight(clock_.Steady() + kActionLimit);
  if (!status) {
    const std::array<base::LogField, 2> fields = {
        {{"isolation", isolation::Name(now)}, {"error", base::TextOf(status.error())}}};
    log_.Write(base::Severity::kWarn, "the proof of isolation lapsed and could not be renewed", fields);
  }
}

void Background::ReapOrphans() {
  const base::Result<std::size_t> reaped = provider_.ReapOrphans(clock_.Steady() + kActionLimit);
  if (!reaped) {
    const std::array<base::LogField, 1> fields = {{{"error", base::TextOf(reaped.error())}}};
    log_.Write(base::Severity::kWarn, "sandboxes left by a crash could not be removed", fields);
    return;
  }
  if (*reaped > 0) {
    orphans_reaped_ += *reaped;
    const std::array<base::LogField, 1> fields = {{{"count", std::uint64_t{*reaped}}}};
    log_.Write(base::Severity::kWarn, "sandboxes left by a crash were removed", fields);
  }
}

}  // namespace plimsoll::daemon
