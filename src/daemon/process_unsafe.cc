#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <string_view>

#include "base/check.h"
#include "daemon/process.h"

namespace plimsoll::daemon {
namespace {

sigset_t StopSignals() {
  sigset_t signals;
  // SAFETY: `signals` is ours; the calls write to it alone.
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

Environment ProcessEnvironment() {
  Environment environment;
  // SAFETY: `environ` is a list of terminated strings that ends with null; no other thread runs yet to change it.
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
      environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return environment;
}

void HoldStopSignals() {
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  const sigset_t signals = StopSignals();
  // SAFETY: both structures are complete and ours; the calls cannot fail for these signals.
  PLIMSOLL_CHECK(sigaction(SIGPIPE, &ignore, nullptr) == 0);
  PLIMSOLL_CHECK(pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0);
}

StopSignalsEnd::StopSignalsEnd() {
  thread_ = std::jthread([this] {
    LetStopSignalsEnd();
    begun_.release();
    over_.acquire();  // no deadline: the destructor gives it, and the destructor waits for nothing before
  });
  begun_.acquire();
}

StopSignalsEnd::~StopSignalsEnd() { over_.release(); }

bool WaitForStop(std::chrono::milliseconds limit) {
  const sigset_t signals = StopSignals();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(limit);
  timespec wait{};
  wait.tv_sec = static_cast<time_t>(seconds.count());
  wait.tv_nsec = static_cast<long>(std::chrono::nanoseconds(limit - seconds).count());
  // SAFETY: both arguments are ours. Another signal ends the wait early, which reads as the limit having passed.
  return sigtimedwait(&signals, nullptr, &wait) > 0;
}

void LetStopSignalsEnd() {
  struct sigaction fallback{};
  fallback.sa_handler = SIG_DFL;
  const sigset_t signals = StopSignals();
  // SAFETY: as in HoldStopSignals.
  PLIMSOLL_CHECK(sigaction(SIGINT, &fallback, nullptr) == 0);
  PLIMSOLL_CHECK(sigaction(SIGTERM, &fallback, nullptr) == 0);
  PLIMSOLL_CHECK(pthread_sigmask(SIG_UNBLOCK, &signals, nullptr) == 0);
}

std::optional<std::size_t> RaiseDescriptorLimit() {
  rlimit limit{};
  // SAFETY: `limit` is ours.
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return std::nullopt;
  }
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  // SAFETY: as above; a refusal leaves the old limit in force.
  const bool raised = setrlimit(RLIMIT_NOFILE, &limit) == 0;
  const rlim_t now = raised ? limit.rlim_max : before;
  return now == RLIM_INFINITY ? std::nullopt : std::optional<std::size_t>(now);
}

}  // namespace plimsoll::daemon
