#pragma once

#include "clients/cpp/messages.h"
#include "plimsoll/client.h"
#include "run/request.h"

namespace plimsoll::client {

// The checks of a client's options; kInvalidOption otherwise, and no message repeats the token.
std::optional<Error> CheckOptions(const ClientOptions& options);

// What the caller asked for, checked against every limit of the protocol before a byte is sent
// (clients-and-docs.md 1.2). kInvalidRequest, marked `request`, with the field, the value's size and the limit;
// kInsufficientIsolation never: only an answer can tell.
Result<run::Request> Prepare(run::Payload payload, const RunOptions& options, std::uint32_t protocol);

// What a session was opened with: every call asks for at least that.
struct SessionTerms {
  std::string minimum_isolation;
  run::SoftwareRuleDraft software_rule;
};

// The same for a call of a session, with the terms in force: the stronger floor, and of the rules what both allow. Two
// rules that leave nothing are kInvalidRequest.
Result<run::Request> PrepareSessionCall(run::Payload payload, const RunOptions& options, std::uint32_t protocol,
                                        const SessionTerms& terms);

// The same for the request that opens a session.
Result<OpenRequest> PrepareOpen(const OpenSessionOptions& options, const ClientOptions& client);

// The refusal of a request that is not sent.
Error InvalidRequest(std::string message);

// A timeout as the protocol sends it: 0 or less gives 0, a part of a millisecond gives 1, more than an int32 holds
// gives the most it holds. NaN has no such number.
std::optional<std::int32_t> TimeoutOnTheWire(Milliseconds timeout);
// The same for the times of a session, which are uint32.
std::optional<std::uint32_t> LifetimeOnTheWire(Milliseconds time);

}  // namespace plimsoll::client
