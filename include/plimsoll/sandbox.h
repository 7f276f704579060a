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
#include <vector>

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
  std::string provider;     // `wasm`, `docker`
  std::string isolation;    // how strong the wall was: `process`, `container`, `kernel` or `vm`
  std::string environment;  // what ran it, by content
  std::chrono::milliseconds duration{0};
  Record record;
};

// What a project left: files were written, steps were run in order up to the first that failed, and what was asked for
// was brought back, also after a failed step.
struct ProjectResult {
  // How the project as a whole came out. A failing step is an ordinary kCompleted: look at the steps.
  enum class Outcome : std::uint8_t { kCompleted = 1, kSetupFailed, kTimedOut, kProtocolError, kRunnerFailed };
  struct Step {
    std::string command;
    std::string stdout_bytes;  // exactly; a prefix when the flag below is set
    std::string stderr_bytes;
    std::int32_t exit_code = 0;
    bool timed_out = false;
    bool stdout_truncated = false;
    bool stderr_truncated = false;
    std::chrono::milliseconds duration{0};
  };
  struct Artifact {
    std::string path;
    std::string content;
  };
  Outcome outcome = Outcome::kCompleted;
  std::string outcome_detail;  // empty for kCompleted
  std::vector<Step> steps;     // one for each that ran
  std::vector<Artifact> artifacts;
  bool artifacts_truncated = false;
  std::string provider;
  std::string isolation;
  std::string environment;
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
using ProjectOutcome = std::variant<ProjectResult, Refusal, Fault>;

// Text files, shell commands that are run in their folder, and paths to bring back. All paths are relative to it.
struct Project {
  struct File {
    std::string path;
    std::string content;
  };
  std::vector<File> files = {};
  std::vector<std::string> steps = {};
  std::vector<std::string> artifacts = {};
};

// The wall cannot be built as asked; the message says what to change.
struct StartError {
  std::string message;
};

// One thing that was tried from inside a throwaway sandbox when the wall was proved.
struct Probe {
  std::string probe;     // stable name, as in `snippet/deadline-loop`
  std::string outcome;   // `pass`, `fail` or `skip`
  std::string tried;     // one sentence each
  std::string happened;  // for a skip the reason
  std::int64_t at_unix_ms = 0;
};

// What the wall's proof tried: the evidence behind the tier. It hashes to `sha256` as the daemon's does.
struct ProbeReport {
  std::string provider;
  std::string isolation;
  std::string environment;
  std::string policy;
  std::string daemon_version;
  std::string runtime_version;
  std::int64_t started_unix_ms = 0;
  std::int64_t ended_unix_ms = 0;
  std::vector<Probe> probes;  // sorted by name
  std::string sha256;
};

// For provider `docker`; docs/reference/settings.md describes each under the variable named here.
struct DockerOptions {
  std::string image = "node:22-alpine";                   // SANDBOX_DOCKER_IMAGE
  std::string project_image = "plimsoll/sandbox:latest";  // SANDBOX_DOCKER_PROJECT_IMAGE
  std::string runtime = {};                               // SANDBOX_DOCKER_RUNTIME; `runsc` for tier `kernel`
  std::string seccomp = {};                               // SANDBOX_DOCKER_SECCOMP
  bool require_pinned_images = false;                     // SANDBOX_REQUIRE_PINNED_IMAGES
  std::uint32_t guest_uid = 61'000;                       // SANDBOX_GUEST_UID
  double cpus = 0;                                        // SANDBOX_CPUS; 0: 1
  std::uint32_t pids = 0;                                 // SANDBOX_PIDS; 0: 256
  std::uint32_t disk_mb = 0;                              // SANDBOX_DISK_MB; 0: 160
  std::string host = {};                                  // DOCKER_HOST
  std::string context = {};                               // DOCKER_CONTEXT
  std::string config = {};                                // DOCKER_CONFIG
  std::string home = {};                                  // HOME
  std::string default_platform = {};                      // DOCKER_DEFAULT_PLATFORM
  int run_pool = 0;                                       // SANDBOX_RUN_POOL, 0 to 64
};

struct Options {
  // `wasm` or `docker`; empty: code execution is disabled and every run is refused.
  std::string provider = "wasm";
  // The weakest wall any run may have: empty, `process`, `container`, `kernel` or `vm`. Open fails below it.
  std::string minimum_isolation = {};
  std::uint32_t memory_mb = 0;  // MiB a run may use, 16 or more; 0: the provider's default, 256
  int max_concurrent = 8;       // runs at once, 1 to 1024
  // The folder that holds the helper programs. Empty: beside this library's own prefix.
  std::filesystem::path libexec = {};
  DockerOptions docker = {};
};

struct RunOptions {
  // The weakest wall this run accepts; below it nothing runs. Empty: any.
  std::string minimum_isolation = {};
  // 0: the provider's default, 5 s for a snippet and 30 s for a project. Cut to the provider's ceiling, 30 s and 120 s.
  std::chrono::milliseconds timeout{0};
  // For your logs: 1 to 64 of letters, digits and `._:-`. Anything else is dropped.
  std::string trace_id = {};
  // Stops the run when requested: the outcome is then a Fault, or a Refusal when nothing had started.
  std::stop_token stop = {};
};

// One provider, proved at its opening by running code in it. May be used by several threads at once.
class Sandbox {
 public:
  // Builds the wall and proves it by trying it from inside before this returns: a few hundredths of a second for wasm,
  // seconds for docker.
  static std::variant<Sandbox, StartError> Open(const Options& options);

  // As Open, with the daemon's variables: SANDBOX_PROVIDER, SANDBOX_MIN_ISOLATION, SANDBOX_MEMORY_MB,
  // SANDBOX_MAX_CONCURRENT, PLIMSOLL_LIBEXEC, and those that DockerOptions names. An unset SANDBOX_PROVIDER means
  // `provider_when_unset`, where empty is `disabled`. An unset SANDBOX_RUN_POOL means 0.
  static std::variant<Sandbox, StartError> FromEnvironment(std::string_view provider_when_unset = {});

  Sandbox(Sandbox&&) noexcept;
  Sandbox& operator=(Sandbox&&) noexcept;
  ~Sandbox();  // stops every run; each worker process and each container is gone when it returns

  // Runs one JavaScript text in a fresh sandbox and waits for its end.
  RunOutcome RunJavaScript(std::string_view code, const RunOptions& options = {});

  // Runs a project in a fresh sandbox and waits for its end. Refused where the provider runs none (wasm).
  ProjectOutcome RunProject(Project project, const RunOptions& options = {});

  // The provider's name and the tier it can vouch for now.
  std::string_view provider() const;
  std::string_view isolation() const;
  // What runs a snippet, by content, and the longest time it may be given. Empty and 0 where snippets are not run.
  std::string_view environment() const;
  std::chrono::milliseconds max_timeout() const;
  // What runs a project, likewise; both are empty where the provider runs none.
  std::string_view project_environment() const;
  std::chrono::milliseconds project_max_timeout() const;

  // What was tried when the sandbox was opened; nothing for a provider that has no battery.
  std::optional<ProbeReport> probes() const;

 private:
  class State;
  explicit Sandbox(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace plimsoll
