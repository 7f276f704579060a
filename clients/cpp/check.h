#pragma once

#include <optional>

#include "clients/cpp/messages.h"
#include "isolation/tier.h"
#include "run/request.h"

namespace plimsoll::client {

// What a call sent, kept to be compared with what comes back.
struct Sent {
  const run::Request& request;
  std::string request_sha256;  // of the request exactly as sent
};

// Steps 4 to 7 of clients-and-docs.md 1.3 on the answer to a single run. Nothing when every check holds; otherwise the
// data loss of the first that fails, without the result attached.
std::optional<Error> CheckRunAnswer(const Sent& sent, const RunAnswer& answer);

// True when a result with this failure may still show its record: the record itself was checked before.
bool RecordHolds(const std::optional<Error>& failure);

// Step 5 alone: the record against what was sent and received. `single` adds step 6.
enum class Chain { kSingleRun, kSession };
std::optional<Error> CheckRecord(const Sent& sent, const RunAnswer& answer, Chain chain);

}  // namespace plimsoll::client
