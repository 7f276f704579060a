#include "base/error.h"

namespace plimsoll::base {

std::string_view Name(Reason reason) {
  switch (reason) {
    case Reason::kRequest: return "request";
    case Reason::kPermission: return "permission";
    case Reason::kProtocol: return "protocol";
    case Reason::kUnsupported: return "unsupported";
    case Reason::kIsolation: return "isolation";
    case Reason::kCapacity: return "capacity";
    case Reason::kEnvironment: return "environment";
  }
  return "unknown";  // unreachable: the switch is complete and -Wswitch keeps it so
}

Reason ReasonOf(Rule rule) {
  switch (rule) {
    case Rule::kInvalidRequest:
    case Rule::kTooLarge:
    case Rule::kSessionUnknown:
    case Rule::kSessionEnded:
    case Rule::kEvidenceUnknown: return Reason::kRequest;
    case Rule::kUnauthenticated:
    case Rule::kPermissionDenied: return Reason::kPermission;
    case Rule::kProtocolMissing:
    case Rule::kProtocolNotServed: return Reason::kProtocol;
    case Rule::kDisabled:
    case Rule::kUnsupported: return Reason::kUnsupported;
    case Rule::kInsufficientIsolation: return Reason::kIsolation;
    case Rule::kSoftwareMismatch:
    case Rule::kNotProven:
    case Rule::kUnavailable: return Reason::kEnvironment;
    case Rule::kAtCapacity:
    case Rule::kCanceled:
    case Rule::kDeadlinePassed: return Reason::kCapacity;
  }
  return Reason::kRequest;  // unreachable, as above
}

std::string_view TextOf(const Error& error) {
  if (const auto* refusal = std::get_if<Refusal>(&error)) {
    return refusal->message;
  }
  return std::get<Fault>(error).detail;
}

}  // namespace plimsoll::base
