#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "records/annex.h"
#include "records/verify.h"
#include "run/result.h"

// What a reader of annexes checks, against its own copy of what was sent and received. Every function here is pure and
// may be called from any thread. Texts say which rule is broken, with numbers and limits, and never repeat text of an
// annex. Every flaw is a kMismatch.
namespace plimsoll::records {

// Each part hashes to the digest it states and is of this request and this record; the probe report is named by a
// digest; the ledger lists no more calls than a trace has; and the annex hashes to its own digest, which covers the
// record. `record_sha256` is empty where there is no record.
std::optional<Flaw> CheckAnnex(const Annex& annex, std::string_view request_sha256, std::string_view record_sha256);

// The summaries stand by step, output first, each once; each is of a stream of `result`, with as many bytes, the same
// mark of truncation, and a head that recomputes over its bytes.
std::optional<Flaw> CheckStreams(std::span<const StreamSummary> streams, std::string_view request_sha256,
                                 const run::Result& result);

// The ending of a call that was answered with this record says so, and names what was sent and the record's place in a
// session. CheckAnnex comes first. Provider and tier are of the moment of decision and are not compared.
std::optional<Flaw> CheckAnsweredEnding(const Ending& ending, const run::Request& sent, const Record& record);

}  // namespace plimsoll::records
