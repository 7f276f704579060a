#pragma once

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "plimsoll/client_results.h"

namespace plimsoll::client {

// What went wrong, sorted by what a program can do about it. The groups follow each other in the order in which a call
// meets them.
enum class ErrorClass {
  // The client was given something it cannot use; no socket was opened.
  kInvalidBaseUrl,
  kInsecureHttp,   // plain http to another machine without `insecure_http`
  kInvalidOption,  // token, timeout or protocol number

  // Refusals: the daemon, or the client before it, decided that nothing runs.
  kInvalidRequest,
  kInsufficientIsolation,  // the tier in force is below the floor asked for
  kSoftwareMismatch,       // no image inside the software rule
  kDisabled,               // the daemon executes nothing
  kProtocolMismatch,
  kUnsupported,
  kAtCapacity,  // ask later (`retry_after`, where the daemon knows it) or elsewhere
  kUnauthenticated,
  kPermissionDenied,
  kUnavailable,
  kSessionStopped,  // an earlier call of the session has no checked answer; only Close is left

  // The session has ended: open another. A refusal where `not_dispatched` says so.
  kSessionEnded,

  // The call ended without an answer that can be used.
  kRequestCanceled,
  kTransport,  // the connection failed
  kRequestTimeout,
  kResponseTooLarge,
  kMalformedResponse,

  // Data loss: an answer came and does not prove what it says. Never a reason to send again.
  kAnswerNotBound,  // it does not carry this request's ID
  kResultKindMismatch,
  kNoRecord,
  kRecordVersion,
  kRecordMismatch,
  kChain,                      // its record is not the next of its session
  kIsolationEvidenceMismatch,  // it ran behind a wall weaker than the floor
  kSoftwareEvidenceMismatch,   // a session was opened with software outside the rule
  kEvidenceMismatch,           // a probe report or an annex that does not hash to what it says, or is of another call

  kOther,  // any other error of the daemon: read `code`
};

// The name of a class: `InvalidBaseUrl`, `RecordMismatch`, ...
std::string_view Name(ErrorClass error_class);

// The sixteen codes of the Connect protocol.
enum class Code {
  kCanceled,
  kUnknown,
  kInvalidArgument,
  kDeadlineExceeded,
  kNotFound,
  kAlreadyExists,
  kPermissionDenied,
  kResourceExhausted,
  kFailedPrecondition,
  kAborted,
  kOutOfRange,
  kUnimplemented,
  kInternal,
  kUnavailable,
  kDataLoss,
  kUnauthenticated,
};

// The name on the wire: `invalid_argument`.
std::string_view Name(Code code);

// Why nothing was dispatched. kUnknown is a reason this client has no word for; nothing ran all the same.
enum class NotDispatched {
  kRequest,
  kPermission,
  kProtocol,
  kUnsupported,
  kIsolation,
  kCapacity,
  kEnvironment,
  kUnknown
};

// `request`, `permission`, ..., `unknown`.
std::string_view Name(NotDispatched reason);

// Why a call did not end in a result.
struct Error {
  ErrorClass error_class = ErrorClass::kOther;
  Code code = Code::kUnknown;
  // Set: proof that no code ran, and why. Empty: the code may have run, so sending again may run it twice.
  std::optional<NotDispatched> not_dispatched = {};
  // The status of the answer, or 0 when there was none.
  int http_status = 0;
  // True when the answer did not carry the request's ID: nothing it states about the run is believed.
  bool answer_not_bound = false;
  // For people. Never holds the token. Text of a daemon is cut to 4096 bytes; escape it before it meets a terminal.
  std::string message = {};
  // When asking again can succeed. Only with kAtCapacity, and only where the daemon says so.
  std::optional<std::chrono::seconds> retry_after = {};
  // With a data loss: what came back, where it could be read. Its record is there only if the record itself checked.
  std::optional<AnyResult> result = {};
  // With kProtocolMismatch from Describe: what the daemon said of itself.
  std::optional<Info> info = {};
  // What the daemon said of the session's end, whatever the class.
  std::optional<SessionEnded> session_ended = {};
  // The checked record of a session call that may have run and got no answer: it has its place in the chain, and the
  // session goes on.
  std::optional<Record> unanswered = {};
  // With kChain from Close: what the daemon stated.
  std::optional<SessionSummary> summary = {};
  // What the daemon adds to an error when RunOptions::annex asked for it: of a refusal an ending at most. Its digests
  // recompute and its ending agrees with `code` and `not_dispatched`; its streams have no output to be compared with.
  std::optional<Annex> annex = {};
};

// True for the classes after kMalformedResponse: an answer came and does not check.
bool IsDataLoss(ErrorClass error_class);

// A value, or the error that stands in its place. Spelled like std::expected. Reading the side that is not there
// aborts.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor): reads as a return
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor): same

  bool has_value() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return has_value(); }

  T& value() & { return *Checked(std::get_if<T>(&state_)); }
  const T& value() const& { return *Checked(std::get_if<T>(&state_)); }
  T&& value() && { return std::move(*Checked(std::get_if<T>(&state_))); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& { return *Checked(std::get_if<Error>(&state_)); }
  Error&& error() && { return std::move(*Checked(std::get_if<Error>(&state_))); }

 private:
  template <typename P>
  static P* Checked(P* side) {
    if (side == nullptr) {
      std::abort();
    }
    return side;
  }

  std::variant<T, Error> state_;
};

}  // namespace plimsoll::client
