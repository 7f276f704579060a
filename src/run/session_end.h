#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::run {

// Why a session ended. The numbers are those of the wire; a session that has not ended has none (sessions.md 9).
enum class SessionEnd : std::uint8_t {
  kClosed = 1,
  kExpired = 2,           // its lifetime passed
  kDiskExceeded = 3,      // its files are over the bound, or could not be measured
  kMainProcessEnded = 4,  // the sandbox's first process or the sandbox itself is gone
  kBoundaryFailed = 5,    // what a call left could not be cleared, or a suspend or resume failed
  kSandboxChanged = 6,    // it is no longer the sandbox that was opened
  kShutdown = 7,          // the daemon stops
  kReplaced = 8,          // closed for a newer session of its owner
  kNotFound = 9,          // this caller has no such session
  kUnclaimed = 10,        // no request named it by its first idle timeout
};

// The name in logs and clients: `closed`, `disk_exceeded`, ...
std::string_view Name(SessionEnd end);

// How one session ended.
struct SessionEnded {
  SessionEnd reason;
  std::string detail = {};  // our own words for a caller: no host path, nothing a guest wrote
  friend bool operator==(const SessionEnded&, const SessionEnded&) = default;
};

}  // namespace plimsoll::run
