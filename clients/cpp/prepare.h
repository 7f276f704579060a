#pragma once

#include "plimsoll/client.h"
#include "run/request.h"

namespace plimsoll::client {

// The checks of a client's options; kInvalidOption otherwise, and no message repeats the token.
std::optional<Error> CheckOptions(const ClientOptions& options);

// What the caller asked for, checked against every limit of the protocol before a byte is sent
// (clients-and-docs.md 1.2). kInvalidRequest, marked `request`, with the field, the value's size and the limit;
// kInsufficientIsolation never: only an answer can tell.
Result<run::Request> Prepare(run::Payload payload, const RunOptions& options, std::uint32_t protocol);

// A timeout as the protocol sends it: 0 or less gives 0, a part of a millisecond gives 1, more than an int32 holds
// gives the most it holds. NaN has no such number.
std::optional<std::int32_t> TimeoutOnTheWire(Milliseconds timeout);

}  // namespace plimsoll::client
