#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/limits.h"

// The annex: extra evidence beside the answer of a run or of a session's call, sent only on request (records.md 13). It
// changes no digest of the record and none covers it; each part has a digest of its own under a domain of its own.
// All of it is the daemon's word.
namespace plimsoll::records {

// Stands in a number that was not measured. It never means zero.
inline constexpr std::int64_t kNotMeasured = -1;
// The most calls that a ledger lists: those of one trace.
inline constexpr std::size_t kMaxLedgerCalls = 256;
// Output and errors of each step.
inline constexpr std::size_t kMaxStreams = 2 * run::kMaxSteps;
// The bytes of a stream that one block of its head covers.
inline constexpr std::size_t kStreamBlockBytes = 16'384;

// How a call ended, refused ones too.
struct Ending {
  std::string daemon = {};
  std::string caller_sha256 = {};
  std::uint64_t sequence = 0;
  std::string previous_sha256 = {};
  std::string ending = {};
  std::string ran = {};
  std::string reason = {};
  std::string code = {};
  std::string cause = {};
  std::int64_t count = 0;
  std::string request_sha256 = {};
  std::string record_sha256 = {};
  std::string provider = {};
  std::string isolation = {};
  std::string minimum_isolation = {};
  std::string software_rule_id = {};
  std::string session = {};
  std::int64_t session_call = 0;
  std::int64_t started_unix_ms = 0;
  std::int64_t ended_unix_ms = 0;
  std::string sha256 = {};
};

// What a run took. kNotMeasured in a number that the provider cannot tell, or not yet when the answer is sent.
struct ResourceReceipt {
  std::string record_sha256 = {};
  std::string method = {};
  std::int64_t cpu_user_us = 0;
  std::int64_t cpu_system_us = 0;
  std::int64_t memory_peak_bytes = 0;
  std::int64_t memory_limit_bytes = 0;
  std::int64_t disk_peak_bytes = 0;
  std::int64_t pids_peak = 0;
  std::int64_t broker_calls = 0;
  std::int64_t broker_sent_bytes = 0;
  std::int64_t broker_received_bytes = 0;
  std::int64_t queue_us = 0;
  std::int64_t setup_us = 0;
  std::int64_t run_us = 0;
  std::int64_t teardown_us = 0;
  std::int64_t paid_ms = 0;
  std::string limit = {};
  std::string sha256 = {};
};

// One call that a guest attempted through the broker.
struct BrokerCall {
  std::string method = {};
  std::string route = {};
  std::string decision = {};
  std::int64_t status = 0;
  std::int64_t sent_bytes = 0;
  std::int64_t received_bytes = 0;
  std::string sent_body_sha256 = {};
  std::string received_body_sha256 = {};
  std::int64_t offset_us = 0;
  std::int64_t duration_us = 0;
};

struct BrokerLedger {
  std::string request_sha256 = {};
  std::string grant_profile = {};
  std::vector<BrokerCall> calls = {};
  std::string sha256 = {};
};

// One stream of output. It has no digest of its own: `head` covers its bytes, and the annex covers the summary.
struct StreamSummary {
  std::int64_t step = 0;
  std::string stream = {};
  std::int64_t kept_bytes = 0;
  std::int64_t produced_bytes = 0;
  bool truncated = false;
  std::string head = {};
};

// What a session's call did beyond its record.
struct CallFacts {
  std::string record_sha256 = {};
  std::string kind = {};
  std::string interpreter_end = {};
  std::int64_t signal = 0;
  std::string checkpoint_id = {};
  std::string returns_to_sha256 = {};
  std::string sha256 = {};
};

// The options a run had, where one was not at its default.
struct OptionsUsed {
  std::string request_sha256 = {};
  bool deterministic = false;
  std::uint64_t seed = 0;
  std::int64_t start_unix_ms = 0;
  bool interrupt_first = false;
  std::string sha256 = {};
};

// A part that does not apply is absent. The record's digest is covered by `annex_sha256` and stands nowhere in it.
struct Annex {
  std::optional<Ending> ending = {};
  std::optional<ResourceReceipt> resources = {};
  std::optional<BrokerLedger> ledger = {};
  std::string probes_sha256 = {};           // the probe report in force, or empty
  std::vector<StreamSummary> streams = {};  // by step, output first
  std::string annex_sha256 = {};
  std::optional<CallFacts> call = {};
  std::optional<OptionsUsed> options = {};
};

// Every function here is pure and may be called from any thread. Digests are 64 lowercase hex digits; the part's own
// `sha256` is not covered.
std::string EndingDigest(const Ending& ending);
std::string ResourcesDigest(const ResourceReceipt& receipt);
std::string LedgerDigest(const BrokerLedger& ledger);
std::string CallDigest(const CallFacts& facts);
std::string OptionsDigest(const OptionsUsed& options);

// Over the record's digest, empty where there is no record, and the digests that the parts state of themselves.
std::string AnnexDigest(const Annex& annex, std::string_view record_sha256);

// The head of a stream (records.md 13.3): its start, then what each block of kStreamBlockBytes, the last maybe shorter,
// makes of the head before it. An empty stream has no block. No byte of `data` is copied.
std::string StreamStart(std::string_view request_sha256, std::int64_t step, std::string_view stream);
std::string StreamBlock(std::string_view previous, std::uint64_t offset, std::string_view data);
std::string StreamHead(std::string_view request_sha256, std::int64_t step, std::string_view stream,
                       std::string_view data);

}  // namespace plimsoll::records
