#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

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

// Gives both signals back their default action: the next one ends the process at once.
void LetStopSignalsEnd();

// Raises the soft limit on open descriptors to the hard one and returns what is then in force; nothing when it cannot
// be read or there is none.
std::optional<std::size_t> RaiseDescriptorLimit();

}  // namespace plimsoll::daemon
