#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "http/message.h"
#include "records/record.h"
#include "run/session_end.h"

namespace plimsoll::rpc {

// The codes of Connect and gRPC. The numbers are gRPC's.
enum class Code {
  kCanceled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// Connect's name: `canceled`, `invalid_argument`, ...
std::string_view Name(Code code);
// The HTTP status of a Connect error.
int HttpStatus(Code code);

Code CodeOf(base::Rule rule);
Code CodeOf(base::FaultKind kind);

// Where a request was when its answer was made. Before its procedure, an answer of HTTP status 300 or more carries the
// header (in gRPC, the trailer) mark; from there on the error's detail is the only statement (RPC-2).
enum class Stage { kBeforeProcedure, kProcedure };

// An error on its way to the wire, the same for every transport.
struct Failure {
  Code code = Code::kInternal;
  std::string message;
  Stage stage = Stage::kProcedure;
  std::optional<base::Reason> reason;              // the NotDispatched detail; absent: no statement, so it may have run
  std::optional<run::SessionEnded> session_ended;  // the SessionEnded detail
  std::optional<records::Record> unanswered;       // the UnansweredCall detail; never beside a reason
  std::optional<std::chrono::seconds> retry_after;
  std::optional<int> http_status;  // where plumbing needs another one than the code's: 404, 405, 415
  http::Headers headers;           // more header fields of the answer

  int Status() const { return http_status.value_or(HttpStatus(code)); }
  // The value of the header mark, or nothing after the procedure was reached.
  std::optional<std::string_view> HeaderMark() const;
};

// A refusal has its reason as detail; a fault has none, since the guest may have run. `detail` of a fault is sent, so
// it must be fit to be sent.
Failure FailureOf(const base::Error& error, Stage stage);

// A refusal of HTTP or RPC plumbing: no detail, the header mark alone (wire.md 6).
Failure Plumbing(Code code, std::string message);

}  // namespace plimsoll::rpc
