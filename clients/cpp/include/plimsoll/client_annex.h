#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The annex: what a daemon adds to the record of a run on request. Plain values, owned by whoever holds them. All of it
// is the daemon's word, made of its own counts and configuration, and never an attestation of hardware.
namespace plimsoll::client {

// Whether a run asks for its annex. It changes neither what runs nor any digest of the record.
enum class AskForAnnex { kNo, kYes };

// Stands in a number that the daemon did not measure. It never means zero.
inline constexpr std::int64_t kNotMeasured = -1;

// How a call ended, refused ones too, numbered without a gap for this caller of this daemon.
struct Ending {
  std::string daemon = {};         // under which `sequence` counts: 32 hex digits
  std::string caller_sha256 = {};  // what stands for the caller there
  std::uint64_t sequence = 0;      // from 1
  std::string previous_sha256 = {};
  std::string ending = {};  // `answered`, `refused`, `failed`, `cancelled`, `lost`
  std::string ran = {};     // `no`, `yes`, `unknown`
  std::string reason = {};  // of a refusal: that of Error::not_dispatched
  std::string code = {};    // of an error
  std::string cause = {};   // `caller`, `deadline`, `memory`, ..., or empty
  std::int64_t count = 0;   // above 1: so many refusals in one
  std::string request_sha256 = {};
  std::string record_sha256 = {};
  std::string provider = {};
  std::string isolation = {};  // the tier when it was decided
  std::string minimum_isolation = {};
  std::string software_rule_id = {};
  std::string session = {};
  std::int64_t session_call = 0;  // 0: it took no number
  std::int64_t started_unix_ms = 0;
  std::int64_t ended_unix_ms = 0;
  std::string sha256 = {};
};

// What a run took. kNotMeasured in any number that the provider cannot tell.
struct ResourceReceipt {
  std::string record_sha256 = {};
  std::string method = {};  // who measured: `cgroup`, `wasm`, `provider`, `wall`
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
  std::string limit = {};  // what was exceeded: `memory`, `cpu`, `pids`, `disk`, `time`, `output`, or empty
  std::string sha256 = {};
};

// One call that the guest attempted through the broker.
struct BrokerCall {
  std::string method = {};
  std::string route = {};     // the template that matched, or empty
  std::string decision = {};  // `allowed`, or the broker's code
  std::int64_t status = 0;    // 0: no answer
  std::int64_t sent_bytes = 0;
  std::int64_t received_bytes = 0;
  std::string sent_body_sha256 = {};  // salted: the operator holds the salt
  std::string received_body_sha256 = {};
  std::int64_t offset_us = 0;  // from the start of the run
  std::int64_t duration_us = 0;
};

struct BrokerLedger {
  std::string request_sha256 = {};
  std::string grant_profile = {};
  std::vector<BrokerCall> calls = {};  // at most 256, in order
  std::string sha256 = {};
};

// One stream of the result's output. `head` is a rolling digest over the bytes that the result holds.
struct StreamSummary {
  std::int64_t step = 0;    // index from 0; 0 for everything but a project
  std::string stream = {};  // `stdout` or `stderr`
  std::int64_t kept_bytes = 0;
  std::int64_t produced_bytes = 0;
  bool truncated = false;
  std::string head = {};
};

// What a call of a session did beyond its record.
struct CallFacts {
  std::string record_sha256 = {};
  std::string kind = {};             // `call`
  std::string interpreter_end = {};  // `oom`, `exit`, `signal`, `deadline`, ..., or empty
  std::int64_t signal = 0;           // 0: none
  std::string checkpoint_id = {};
  std::string returns_to_sha256 = {};
  std::string sha256 = {};
};

// The options a run had.
struct OptionsUsed {
  std::string request_sha256 = {};
  bool deterministic = false;
  std::uint64_t seed = 0;
  std::int64_t start_unix_ms = 0;
  bool interrupt_first = false;
  std::string sha256 = {};
};

// A part that does not apply is absent; one that is there hashes to its `sha256`. `annex_sha256` covers the record, the
// parts by their digests, and the streams.
struct Annex {
  std::optional<Ending> ending = {};
  std::optional<ResourceReceipt> resources = {};
  std::optional<BrokerLedger> ledger = {};
  std::string probes_sha256 = {};           // of the probe report in force, for Client::ProbeReport; or empty
  std::vector<StreamSummary> streams = {};  // by step, stdout first
  std::string annex_sha256 = {};
  std::optional<CallFacts> call = {};
  std::optional<OptionsUsed> options = {};
};

}  // namespace plimsoll::client
