#include "clients/cpp/names.h"

#include <algorithm>
#include <array>

#include "records/verify.h"

namespace plimsoll::client {
namespace {

using records::kConnectCodes;

// Each table is in the order of its enumerators; the switches of names_test prove that none is missing.
constexpr std::array<std::string_view, 8> kReasons = {"request",   "permission", "protocol",    "unsupported",
                                                      "isolation", "capacity",   "environment", "unknown"};

constexpr std::array<std::string_view, 6> kOutcomes = {"unspecified", "completed",      "setup_failed",
                                                       "timed_out",   "protocol_error", "runner_failed"};

constexpr std::array<std::string_view, 11> kSessionEnds = {
    "closed",   "expired",  "disk_exceeded", "main_process_ended", "boundary_failed", "sandbox_changed",
    "shutdown", "replaced", "not_found",     "unclaimed",          "unknown"};

constexpr std::array<std::string_view, 30> kClasses = {"InvalidBaseUrl",
                                                       "InsecureHttp",
                                                       "InvalidOption",
                                                       "InvalidRequest",
                                                       "InsufficientIsolation",
                                                       "SoftwareMismatch",
                                                       "Disabled",
                                                       "ProtocolMismatch",
                                                       "Unsupported",
                                                       "AtCapacity",
                                                       "Unauthenticated",
                                                       "PermissionDenied",
                                                       "Unavailable",
                                                       "SessionStopped",
                                                       "SessionEnded",
                                                       "RequestCanceled",
                                                       "Transport",
                                                       "RequestTimeout",
                                                       "ResponseTooLarge",
                                                       "MalformedResponse",
                                                       "AnswerNotBound",
                                                       "ResultKindMismatch",
                                                       "NoRecord",
                                                       "RecordVersion",
                                                       "RecordMismatch",
                                                       "Chain",
                                                       "IsolationEvidenceMismatch",
                                                       "SoftwareEvidenceMismatch",
                                                       "EvidenceMismatch",
                                                       "Other"};

// The class without a look at the session.
ErrorClass ClassOfRun(Code code, std::optional<NotDispatched> reason) {
  switch (code) {
    case Code::kInvalidArgument: return ErrorClass::kInvalidRequest;
    case Code::kFailedPrecondition:
      if (reason == NotDispatched::kIsolation) {
        return ErrorClass::kInsufficientIsolation;
      }
      return reason == NotDispatched::kEnvironment ? ErrorClass::kSoftwareMismatch : ErrorClass::kDisabled;
    case Code::kUnimplemented:
      return reason == NotDispatched::kProtocol ? ErrorClass::kProtocolMismatch : ErrorClass::kUnsupported;
    case Code::kResourceExhausted:
      if (reason == NotDispatched::kCapacity) {
        return ErrorClass::kAtCapacity;
      }
      return reason == NotDispatched::kRequest ? ErrorClass::kInvalidRequest : ErrorClass::kOther;
    case Code::kUnauthenticated: return ErrorClass::kUnauthenticated;
    case Code::kPermissionDenied: return ErrorClass::kPermissionDenied;
    case Code::kUnavailable: return ErrorClass::kUnavailable;
    case Code::kCanceled:
    case Code::kUnknown:
    case Code::kDeadlineExceeded:
    case Code::kNotFound:
    case Code::kAlreadyExists:
    case Code::kAborted:
    case Code::kOutOfRange:
    case Code::kInternal:
    case Code::kDataLoss: return ErrorClass::kOther;
  }
  return ErrorClass::kOther;  // unreachable: the switch is complete and -Wswitch keeps it so
}
}  // namespace

std::string_view Name(Code code) { return kConnectCodes[static_cast<std::size_t>(code)]; }
std::string_view Name(NotDispatched reason) { return kReasons[static_cast<std::size_t>(reason)]; }
std::string_view Name(Outcome outcome) { return kOutcomes[static_cast<std::size_t>(outcome)]; }
std::string_view Name(ErrorClass error_class) { return kClasses[static_cast<std::size_t>(error_class)]; }

std::string_view Name(SessionEnd end) { return kSessionEnds[static_cast<std::size_t>(end)]; }

bool IsDataLoss(ErrorClass error_class) {
  return error_class >= ErrorClass::kAnswerNotBound && error_class <= ErrorClass::kEvidenceMismatch;
}

std::optional<Code> CodeNamed(std::string_view name) {
  const auto found = std::ranges::find(kConnectCodes, name);
  return found == kConnectCodes.end() ? std::nullopt : std::optional(static_cast<Code>(found - kConnectCodes.begin()));
}

std::optional<NotDispatched> ReasonNamed(std::string_view name) {
  const auto end = kReasons.end() - 1;  // `unknown` is our word, not the wire's
  const auto found = std::find(kReasons.begin(), end, name);
  return found == end ? std::nullopt : std::optional(static_cast<NotDispatched>(found - kReasons.begin()));
}

SessionEnd SessionEndNumbered(std::uint64_t number) {
  // The wire numbers the reasons from 1, in the order of the enumerators.
  return number >= 1 && number < kSessionEnds.size() ? static_cast<SessionEnd>(number - 1) : SessionEnd::kUnknown;
}

Code CodeOfStatus(int http_status) {
  switch (http_status) {
    case 400: return Code::kInternal;
    case 401: return Code::kUnauthenticated;
    case 403: return Code::kPermissionDenied;
    case 404: return Code::kUnimplemented;
    case 429:
    case 502:
    case 503:
    case 504: return Code::kUnavailable;
    default: return Code::kUnknown;
  }
}

ErrorClass ClassOf(Code code, std::optional<NotDispatched> reason, SessionState session) {
  const ErrorClass without = ClassOfRun(code, reason);
  if (session == SessionState::kNotSaid) {
    return without;
  }
  switch (code) {
    // What was asked for cannot be had in another session either, or the caller itself gave up.
    case Code::kInvalidArgument:
    case Code::kUnimplemented:
    case Code::kCanceled:
    case Code::kDeadlineExceeded: return without;
    case Code::kResourceExhausted: return without == ErrorClass::kOther ? ErrorClass::kSessionEnded : without;
    case Code::kUnavailable: return reason == NotDispatched::kEnvironment ? without : ErrorClass::kSessionEnded;
    case Code::kUnknown:
    case Code::kNotFound:
    case Code::kAlreadyExists:
    case Code::kPermissionDenied:
    case Code::kFailedPrecondition:
    case Code::kAborted:
    case Code::kOutOfRange:
    case Code::kInternal:
    case Code::kDataLoss:
    case Code::kUnauthenticated: return ErrorClass::kSessionEnded;
  }
  return without;  // unreachable: the switch is complete and -Wswitch keeps it so
}

}  // namespace plimsoll::client
