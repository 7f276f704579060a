#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace plimsoll::base {

// Why nothing was dispatched. The caller reads the reason and must change something: the request, its credentials,
// the daemon it asks, or the moment it asks.
enum class Reason { kRequest, kPermission, kProtocol, kUnsupported, kIsolation, kCapacity, kEnvironment };

// The name on the wire's header, in logs and in clients: `request`, `permission`, ...
std::string_view Name(Reason reason);

// Which rule refused. Stable: rpc turns each into one status code, and one reason follows from it (ReasonOf).
enum class Rule {
  kInvalidRequest,         // malformed or out of bounds
  kTooLarge,               // the body or one message is over the byte limit
  kUnauthenticated,        // token missing, unknown or expired
  kPermissionDenied,       // scope, procedure or grant profile not available to this caller
  kProtocolMissing,        // no protocol number stated
  kProtocolNotServed,      // a number this daemon does not serve
  kDisabled,               // the daemon has no provider
  kUnsupported,            // this provider cannot do it
  kInsufficientIsolation,  // the tier in force is below the floor
  kSoftwareMismatch,       // the software identity is unknown or outside the rule
  kNotProven,              // image or interpreter not proven, or no longer the proven one
  kUnavailable,            // before dispatch the engine or service could not be reached or a sandbox not be made
  kAtCapacity,             // slots, rate, memory, allowance
  kCanceled,               // the caller left before dispatch
  kDeadlinePassed,         // the caller's own deadline passed before dispatch
  kSessionUnknown,         // no such session for this caller
  kSessionEnded,           // the session of the call has ended; nothing of the call ran
  kEvidenceUnknown,        // no evidence of this digest is kept
};

Reason ReasonOf(Rule rule);

// Our decision that nothing runs. `message` is one sentence for a person with the rule, the value seen and the limit;
// programs read `rule` and never the text. The message never repeats content sent by a caller or a guest.
struct Refusal {
  Rule rule;
  std::string message;
  // When asking again can succeed, where the daemon knows it (wire.md 4, Retry-After).
  std::optional<std::chrono::milliseconds> retry_after = {};
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

// Inability, sorted by what can be done next. The guest may have run, unless the text says otherwise.
enum class FaultKind {
  kUnavailable,   // a part outside this process is gone
  kOverloaded,    // a resource of this machine is used up
  kDeadline,      // the caller's deadline passed after dispatch
  kCanceled,      // the caller left after dispatch
  kSessionEnded,  // the session ended under its call
  kInternal,      // anything else, our own mistakes included
};

// `detail` is for the log only: it may name paths and processes and never leaves the process as it is.
struct Fault {
  FaultKind kind;
  std::string detail;
  friend bool operator==(const Fault&, const Fault&) = default;
};

using Error = std::variant<Refusal, Fault>;

// The text of either, for start-up messages and tests; not for callers.
std::string_view TextOf(const Error& error);

}  // namespace plimsoll::base
