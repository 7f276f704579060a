#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <semaphore>
#include <thread>

#include "daemon/settings_words.h"

// What the daemon asks of its own process. Only main and serve call these.
namespace plimsoll::daemon {

// The variables the process was started with; a word without `=` is left out. Call before any thread starts.
Environment ProcessEnvironment();

// Ignores SIGPIPE and blocks SIGINT and SIGTERM in this thread and in those it starts from now on, so that a stop is
// only ever seen by WaitForStop. Call before any thread starts.
void HoldStopSignals();

// True once SIGINT or SIGTERM arrived, false when `limit` passed without one.
bool WaitForStop(std::chrono::milliseconds limit);

// While it lives, SIGINT and SIGTERM end the process at once by their default action, although every other thread
// blocks them: for a start, which may take minutes and has nothing to drain. Make it after HoldStopSignals. Once it is
// gone the signals wait for WaitForStop again.
class StopSignalsEnd {
 public:
  StopSignalsEnd();
  ~StopSignalsEnd();
  StopSignalsEnd(const StopSignalsEnd&) = delete;
  StopSignalsEnd& operator=(const StopSignalsEnd&) = delete;

 private:
  std::binary_semaphore begun_{0};
  std::binary_semaphore over_{0};
  std::jthread thread_;  // the one thread that does not block them
};

// Gives both signals back their default action: the next one ends the process at once.
void LetStopSignalsEnd();

// Raises the soft limit on open descriptors to the hard one and returns what is then in force; nothing when it cannot
// be read or there is none.
std::optional<std::size_t> RaiseDescriptorLimit();

}  // namespace plimsoll::daemon
