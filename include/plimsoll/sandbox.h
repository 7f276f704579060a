#pragma once

// The embedding interface: runs untrusted code behind a wall from inside your own program, with no daemon. A result, a
// refusal or a fault means here what it means over the wire, with the same limits, the same order of checks and the
// same record. This header needs nothing but the standard library.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

namespace plimsoll {

// The daemon's statement of one run: digests that anyone with the request and the result can recompute. Text as on the
// wire. It is evidence from configuration and start-up checks, never attestation.
struct Record {
  std::uint32_t version = 0;
  std::string request_sha256;
  std::string result_sha256;
  std::string provider;
  std::string isolation;
  std::string environment;
  std::string policy;
  std::string software_identity;
  std::string software_rule_id;
  std::string instance;
  std::int64_t started_unix_ms = 0;
  std::int64_t ended_unix_ms = 0;
  std::string record_sha256;
};

// The guest ran, whatever it did. A non-zero exit code is an ordinary result.
struct RunResult {
  std::string stdout_bytes;  // the guest's bytes, exactly; a prefix when the flag below is set
  std::string stderr_bytes;
  std::int32_t exit_code = 0;  // 124 with timed_out: the deadline; 134: the engine trapped
  bool timed_out = false;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
  std::string provider;     // `wasm`
  std::string isolation;    // how strong the wall was: `process`, `container`, `kernel` or `vm`
  std::string environment;  // what ran it, by content
  std::chrono::milliseconds duration{0};
  Record record;
};

// Nothing ran. `reason` is one of request, permission, protocol, unsupported, isolation, capacity, environment.
struct Refusal {
  std::string reason;
  std::string message;
};

// Something around the run broke; the code may have run, in part or whole. Never run it again without asking.
struct Fault {
  std::string message;
};

// What happened. The three are never mixed.
using RunOutcome = std::variant<RunResult, Refusal, Fault>;

// The wall cannot be built as asked; the message says what to change.
struct StartError {
  std::string message;
};

struct Options {
  std::string provider = "wasm";  // `wasm`; empty: code execution is disabled and every run is refused
  // The weakest wall any run may have: empty, `process`, `container`, `kernel` or `vm`. Open fails below it.
  std::string minimum_isolation = {};
  std::uint32_t memory_mb = 0;  // MiB a run may use, 16 or more; 0: the provider's default, 256
  int max_concurrent = 8;       // runs at once, 1 to 1024
  // The folder that holds the worker program. Empty: beside this library's own prefix.
  std::filesystem::path libexec = {};
};

struct RunOptions {
  // The weakest wall this run accepts; below it nothing runs. Empty: any.
  std::string minimum_isolation = {};
  // 0: the provider's default, 5 s. Cut to the provider's ceiling, 30 s.
  std::chrono::milliseconds timeout{0};
  // For your logs: 1 to 64 of letters, digits and `._:-`. Anything else is dropped.
  std::string trace_id = {};
  // Stops the run when requested: the outcome is then a Fault, or a Refusal when nothing had started.
  std::stop_token stop = {};
};

// One provider, proved at its opening by running code in it. May be used by several threads at once.
class Sandbox {
 public:
  // Builds the wall and proves it: a snippet, a memory cap and a deadline are tried before this returns.
  static std::variant<Sandbox, StartError> Open(const Options& options);

  // As Open, with the daemon's variables SANDBOX_PROVIDER, SANDBOX_MIN_ISOLATION, SANDBOX_MEMORY_MB and
  // SANDBOX_MAX_CONCURRENT, and PLIMSOLL_LIBEXEC for the worker program's folder. An unset provider is `disabled`.
  static std::variant<Sandbox, StartError> FromEnvironment();

  Sandbox(Sandbox&&) noexcept;
  Sandbox& operator=(Sandbox&&) noexcept;
  ~Sandbox();  // stops every run; each worker process is gone when it returns

  // Runs one JavaScript text in a fresh sandbox and waits for its end.
  RunOutcome RunJavaScript(std::string_view code, const RunOptions& options = {});

  // The provider's name and the tier it can vouch for now.
  std::string_view provider() const;
  std::string_view isolation() const;
  // What runs a snippet, by content, and the longest time it may be given. Empty and 0 where snippets are not run.
  std::string_view environment() const;
  std::chrono::milliseconds max_timeout() const;

 private:
  class State;
  explicit Sandbox(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace plimsoll
