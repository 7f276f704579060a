#include "daemon/readiness.h"

#include <array>
#include <utility>

#include "os/thread_name.h"

namespace plimsoll::daemon {

Readiness::Readiness(provider::Provider& provider, const base::Clock& clock, base::LogSink& log)
    : provider_(provider), clock_(clock), log_(log), thread_([this](const std::stop_token& stop) { Work(stop); }) {}

Readiness::~Readiness() {
  thread_.request_stop();
  thread_.join();
  for (ReadyDone& done : waiting_) {
    done(Ready::kNo);
  }
}

void Readiness::Ask(ReadyDone done) {
  {
    const std::scoped_lock lock(mutex_);
    if (!stopped_ && waiting_.size() < kMaxWaiting) {
      waiting_.push_back(std::move(done));
      asked_.notify_one();
      return;
    }
  }
  done(Ready::kNo);
}

void Readiness::Stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
}

void Readiness::Work(const std::stop_token& stop) {
  os::NameThisThread("readiness");
  while (true) {
    std::vector<ReadyDone> asked;
    {
      std::unique_lock lock(mutex_);
      // The wait ends with the stop token, which the destructor requests: no deadline is needed.
      if (!asked_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
        return;
      }
      asked.swap(waiting_);
    }
    const Ready ready = Check();
    for (ReadyDone& done : asked) {
      done(ready);
    }
  }
}

Ready Readiness::Check() {
  const auto now = clock_.Steady();
  const base::Status status = provider_.Preflight(now + kPreflightLimit);
  const bool ready = status && provider_.Tier();
  if (!ready && (!ever_logged_ || now - logged_ >= kLogEvery)) {
    const std::array<base::LogField, 1> fields = {
        {{"error", status ? std::string_view("the proof of isolation has lapsed") : base::TextOf(status.error())}}};
    log_.Write(base::Severity::kWarn, "not ready", fields);
    logged_ = now;
    ever_logged_ = true;
  }
  return ready ? Ready::kYes : Ready::kNo;
}

}  // namespace plimsoll::daemon
