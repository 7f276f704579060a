#include "rpc/status.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace plimsoll::rpc {
namespace {

struct CodeRow {
  Code code;
  std::string_view name;
  int http_status;
};

constexpr CodeRow kCodes[] = {
    {Code::kCanceled, "canceled", 499},
    {Code::kUnknown, "unknown", 500},
    {Code::kInvalidArgument, "invalid_argument", 400},
    {Code::kDeadlineExceeded, "deadline_exceeded", 504},
    {Code::kNotFound, "not_found", 404},
    {Code::kAlreadyExists, "already_exists", 409},
    {Code::kPermissionDenied, "permission_denied", 403},
    {Code::kResourceExhausted, "resource_exhausted", 429},
    {Code::kFailedPrecondition, "failed_precondition", 400},
    {Code::kAborted, "aborted", 409},
    {Code::kOutOfRange, "out_of_range", 400},
    {Code::kUnimplemented, "unimplemented", 501},
    {Code::kInternal, "internal", 500},
    {Code::kUnavailable, "unavailable", 503},
    {Code::kDataLoss, "data_loss", 500},
    {Code::kUnauthenticated, "unauthenticated", 401},
};

const CodeRow& RowOf(Code code) {
  const auto* row = std::ranges::find(kCodes, code, &CodeRow::code);
  PLIMSOLL_CHECK(row != std::end(kCodes));
  return *row;
}

}  // namespace

std::string_view Name(Code code) { return RowOf(code).name; }
int HttpStatus(Code code) { return RowOf(code).http_status; }

Code CodeOf(base::Rule rule) {
  switch (rule) {
    case base::Rule::kInvalidRequest:
    case base::Rule::kProtocolMissing: return Code::kInvalidArgument;
    case base::Rule::kProtocolNotServed:
    case base::Rule::kUnsupported:
    case base::Rule::kNotProven: return Code::kUnimplemented;
    case base::Rule::kTooLarge:
    case base::Rule::kAtCapacity: return Code::kResourceExhausted;
    case base::Rule::kUnauthenticated: return Code::kUnauthenticated;
    case base::Rule::kPermissionDenied: return Code::kPermissionDenied;
    case base::Rule::kDisabled:
    case base::Rule::kSessionEnded:
    case base::Rule::kInsufficientIsolation:
    case base::Rule::kSoftwareMismatch: return Code::kFailedPrecondition;
    case base::Rule::kUnavailable: return Code::kUnavailable;
    case base::Rule::kCanceled: return Code::kCanceled;
    case base::Rule::kDeadlinePassed: return Code::kDeadlineExceeded;
    case base::Rule::kSessionUnknown:
    case base::Rule::kEvidenceUnknown: return Code::kNotFound;
  }
  return Code::kInternal;  // unreachable: the switch is complete and -Wswitch keeps it so
}

Code CodeOf(base::FaultKind kind) {
  switch (kind) {
    case base::FaultKind::kDeadline: return Code::kDeadlineExceeded;
    case base::FaultKind::kCanceled: return Code::kCanceled;
    case base::FaultKind::kSessionEnded: return Code::kFailedPrecondition;
    case base::FaultKind::kUnavailable:
    case base::FaultKind::kOverloaded:
    case base::FaultKind::kInternal: return Code::kInternal;
  }
  return Code::kInternal;  // unreachable, as above
}

std::optional<std::string_view> Failure::HeaderMark() const {
  if (stage == Stage::kProcedure) {
    return std::nullopt;
  }
  return base::Name(Status() == 404 ? base::Reason::kUnsupported : base::Reason::kRequest);
}

Failure FailureOf(const base::Error& error, Stage stage) {
  Failure failure;
  failure.stage = stage;
  if (const auto* fault = std::get_if<base::Fault>(&error)) {
    failure.code = CodeOf(fault->kind);
    failure.message = fault->detail;
    return failure;
  }
  const auto& refusal = std::get<base::Refusal>(error);
  failure.code = CodeOf(refusal.rule);
  failure.message = refusal.message;
  failure.reason = base::ReasonOf(refusal.rule);
  if (refusal.rule == base::Rule::kSessionUnknown) {
    failure.session_ended = {run::SessionEnd::kNotFound, {}};
  }
  if (refusal.retry_after && failure.reason == base::Reason::kCapacity) {
    // Rounded up, so that a caller who waits that long is not early.
    failure.retry_after =
        std::max(std::chrono::ceil<std::chrono::seconds>(*refusal.retry_after), std::chrono::seconds(1));
  }
  return failure;
}

Failure Plumbing(Code code, std::string message) {
  Failure failure;
  failure.code = code;
  failure.message = std::move(message);
  failure.stage = Stage::kBeforeProcedure;
  return failure;
}

}  // namespace plimsoll::rpc
