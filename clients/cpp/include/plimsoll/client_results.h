#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plimsoll/client_annex.h"

namespace plimsoll::client {

// The daemon's statement of one run, checked against what was sent and what came back. It is the daemon's word, made of
// configuration and start-up checks, and never an attestation of hardware. Digests are lowercase hex SHA-256.
struct Record {
  std::uint32_t version = 0;
  std::string request_sha256 = {};
  std::string result_sha256 = {};
  std::string provider = {};
  std::string isolation = {};
  std::string environment = {};
  std::string policy = {};
  std::int64_t started_unix_ms = 0;
  std::int64_t ended_unix_ms = 0;
  std::string session = {};
  std::uint64_t sequence = 0;
  std::string previous_sha256 = {};
  std::string record_sha256 = {};
  std::string software_identity = {};
  std::string software_rule_id = {};
  std::string unanswered = {};
  std::string instance = {};
  friend bool operator==(const Record&, const Record&) = default;
};

// Where a run happened, as its answer states it.
struct Evidence {
  std::string provider = {};           // `wasm`, `docker`, ...
  std::string isolation = {};          // the tier: `process`, `container`, `kernel`, `vm`
  std::string environment = {};        // image or engine by content, or empty
  std::string software_identity = {};  // image manifest with platform, or empty
  std::string instance = {};           // one sandbox by reference, or empty
  std::chrono::milliseconds duration{0};
  std::optional<Record> record = {};  // always there in a result that is not attached to an error
  // Checked against the record, the request and the output. Empty unless RunOptions::annex asked for it, and empty
  // where the daemon sends none: no daemon has to.
  std::optional<Annex> annex = {};
};

// What a snippet left. A non-zero exit code is a normal result: 124 with `timed_out` is the deadline, 134 a trap of the
// engine, 137 killed. Output is bytes of the guest, exactly; a flag says that only a prefix was kept.
struct JavaScriptResult {
  Evidence evidence = {};
  std::string stdout_bytes = {};
  std::string stderr_bytes = {};
  std::int32_t exit_code = 0;
  bool timed_out = false;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
};

// How a project or a module as a whole came out.
enum class Outcome { kUnspecified, kCompleted, kSetupFailed, kTimedOut, kProtocolError, kRunnerFailed };

// `completed`, `setup_failed`, ...
std::string_view Name(Outcome outcome);

struct StepResult {
  std::string command = {};
  std::string stdout_bytes = {};
  std::string stderr_bytes = {};
  std::int32_t exit_code = 0;
  bool timed_out = false;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
  std::chrono::milliseconds duration{0};
};

struct Artifact {
  std::string path = {};
  std::string content = {};
};

// Steps run in order up to the first that fails: one entry for each that ran.
struct ProjectResult {
  Evidence evidence = {};
  Outcome outcome = Outcome::kUnspecified;
  std::string outcome_detail = {};
  std::vector<StepResult> steps = {};
  std::vector<Artifact> artifacts = {};
  bool artifacts_truncated = false;
};

struct ModuleRow {
  std::int32_t status = 0;
  std::vector<double> outputs = {};
};

struct ModuleResult {
  Evidence evidence = {};
  Outcome outcome = Outcome::kUnspecified;
  std::string outcome_detail = {};
  std::vector<ModuleRow> runs = {};
  std::int32_t width = 0;
  std::string stdout_bytes = {};
  std::string stderr_bytes = {};
};

// Only a session answers with one. Exit code 0: it ran; 1: it raised; 124: the deadline.
struct CellResult {
  JavaScriptResult output = {};
  bool interpreter_started = false;
  bool interpreter_ended = false;
};

// Why a session ended. kUnknown is a reason this client has no word for; it has ended all the same.
enum class SessionEnd {
  kClosed,
  kExpired,           // its lifetime passed
  kDiskExceeded,      // its files grew past what a session may keep
  kMainProcessEnded,  // its sandbox is gone
  kBoundaryFailed,    // its sandbox could not be shown to be clean
  kSandboxChanged,    // its sandbox is not the one that was opened
  kShutdown,          // the daemon stops
  kReplaced,          // closed for a newer session of its owner
  kNotFound,          // the daemon knows no such session of this caller
  kUnclaimed,         // no call came before its first idle time was over
  kUnknown
};

// `closed`, `expired`, ..., `unknown`.
std::string_view Name(SessionEnd end);

struct SessionEnded {
  SessionEnd reason = SessionEnd::kUnknown;
  std::string detail = {};  // of the daemon, cut to 4096 bytes, or empty
  friend bool operator==(const SessionEnded&, const SessionEnded&) = default;
};

// What the daemon states of a session at its end.
struct SessionSummary {
  std::string session = {};  // the fingerprint
  std::uint64_t calls = 0;   // answered and unanswered
  std::string last_record_sha256 = {};
  SessionEnd ended = SessionEnd::kUnknown;
  friend bool operator==(const SessionSummary&, const SessionSummary&) = default;
};

using AnyResult = std::variant<JavaScriptResult, ProjectResult, ModuleResult, CellResult>;

// Where one kind of payload runs.
struct PayloadEnvironment {
  std::string identity = {};
  std::string software_identity = {};
  std::chrono::milliseconds max_timeout{0};  // 0: no ceiling stated
  std::vector<std::string> languages = {};
};

// Limits of one run that the operator set; 0 is the provider's default.
struct Resources {
  std::uint32_t memory_mb = 0;
  double cpus = 0;
  std::uint32_t pids = 0;
  std::uint32_t disk_mb = 0;
};

// What a daemon says of itself now. Configuration and evidence: no run relies on it, each is checked again.
struct Info {
  std::string provider = {};
  std::string isolation = {};
  std::uint32_t protocol = 0;
  std::vector<std::uint32_t> protocols = {};
  bool supports_project = false;
  bool supports_module = false;
  bool supports_sessions = false;
  bool supports_javascript_grants = false;
  bool supports_project_grants = false;
  std::optional<PayloadEnvironment> javascript_environment = {};
  std::optional<PayloadEnvironment> project_environment = {};
  std::optional<PayloadEnvironment> module_environment = {};
  std::optional<PayloadEnvironment> session_environment = {};
  Resources resources = {};
  std::string policy = {};
  // All 0 without sessions. An idle timeout of 0 suspends none, a cap of 0 is none.
  std::chrono::milliseconds session_lifetime{0};
  std::chrono::milliseconds session_idle_timeout{0};
  std::uint32_t max_sessions_per_caller = 0;
  std::uint32_t max_sessions_per_owner = 0;
};

}  // namespace plimsoll::client
