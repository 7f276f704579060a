#pragma once

#include <optional>
#include <string>

#include "clients/cpp/messages.h"
#include "records/chain.h"
#include "run/request.h"

namespace plimsoll::client {

// What a call sent, kept to be compared with what comes back.
struct Sent {
  const run::Request& request;
  std::string request_sha256;  // of the request exactly as sent
};

// Steps 4 to 7 of clients-and-docs.md 1.3 on the answer to a single run, and last its annex. Nothing when every check
// holds; otherwise the data loss of the first that fails, without the result attached.
std::optional<Error> CheckRunAnswer(const Sent& sent, const RunAnswer& answer);

// Steps 4 to 8 on the answer to a call of a session, and last its annex: the record must be the next of `chain`, which
// is not moved here.
std::optional<Error> CheckSessionAnswer(const Sent& sent, const RunAnswer& answer, const records::Chain& chain);

// What a session stated of itself when it was opened.
struct Opened {
  std::string provider;
  std::string isolation;
  std::string software_identity;
};

// The record that a daemon gives with an error instead of an answer: what was sent, what the session is, and the next
// of `chain`, which is not moved here.
std::optional<Error> CheckUnansweredCall(const Sent& sent, const records::Record& record, const Opened& opened,
                                         const records::Chain& chain);

// A session as it was opened: its fingerprint, its tier against the floor, its software against the rule.
std::optional<Error> CheckOpenAnswer(const OpenRequest& request, const OpenAnswer& answer);

// A session as it was closed, against the client's own count: kChain with the summary when they differ.
std::optional<Error> CheckCloseAnswer(const SessionSummary& summary, const records::Chain& chain);

// The checked answer as the caller gets it: the result, or the failure with what came back attached. Its record is
// shown where the record itself checks, its annex only where all has. Takes the bytes out of `answer`.
Result<AnyResult> Settled(std::optional<Error> failure, RunAnswer&& answer);

// Step 5 alone: the record against what was sent and received. `single` adds step 6.
enum class Place { kSingleRun, kSession };
std::optional<Error> CheckRecord(const Sent& sent, const RunAnswer& answer, Place place);

}  // namespace plimsoll::client
