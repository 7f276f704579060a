#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace plimsoll::tool {

// The fields of a run's record that the tool shows. Digests are lowercase hex.
struct RecordLine {
  std::uint32_t version = 0;
  std::string request_sha256 = {};
  std::string result_sha256 = {};
  std::string policy = {};
  std::string software_rule_id = {};
  std::int64_t started_unix_ms = 0;
  std::int64_t ended_unix_ms = 0;
  std::string record_sha256 = {};
};

// Where and how long something ran.
struct Where {
  std::string provider = {};
  std::string isolation = {};
  std::string environment = {};
  std::string software_identity = {};
  std::string instance = {};
  std::chrono::milliseconds duration{0};
  RecordLine record = {};
};

// What one process of the guest left.
struct Output {
  std::string stdout_bytes = {};
  std::string stderr_bytes = {};
  std::int32_t exit_code = 0;
  bool timed_out = false;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
};

// The guest ran, whatever it did.
struct Ran {
  Output output = {};
  Where where = {};
};

// One step of a project.
struct Step {
  std::string command = {};
  Output output = {};
  std::chrono::milliseconds duration{0};
};

struct Artifact {
  std::string path = {};
  std::string content = {};
  std::string written = {};  // where the tool put it; empty: nowhere
};

// A project came to an end that the answer describes; `outcome` says which.
struct ProjectRan {
  std::string outcome = {};  // `completed`, `setup_failed`, `timed_out`, `protocol_error`, `runner_failed`
  std::string outcome_detail = {};
  std::vector<Step> steps = {};  // one for each that ran
  std::vector<Artifact> artifacts = {};
  bool artifacts_truncated = false;
  std::vector<std::string> skipped = {};  // what lies in the folder and was not sent
  Where where = {};
};

// Nothing ran, and why.
struct NothingRan {
  std::string reason = {};  // `request`, `isolation`, ...
  std::string error = {};   // the class of the client's error, or empty
  std::string code = {};    // the Connect code, or empty
  std::string message = {};
  std::optional<std::chrono::seconds> retry_after = {};
};

// It cannot be said whether the code ran. Never a reason to run it again without asking.
struct MayHaveRun {
  std::string error = {};
  std::string code = {};
  std::string message = {};
};

using Outcome = std::variant<Ran, ProjectRan, NothingRan, MayHaveRun>;

struct ProjectFile {
  std::string path = {};
  std::string content = {};
};

// What a folder holds that is sent.
struct Project {
  std::vector<ProjectFile> files = {};
  std::vector<std::string> steps = {};
  std::vector<std::string> artifacts = {};
};

// A run as asked for on the command line, whoever runs it.
struct RunRequest {
  std::variant<std::string, Project> payload = {};  // the code of a snippet, or a project
  std::string minimum_isolation = {};
  std::chrono::milliseconds timeout{0};  // 0: the provider's default
};

}  // namespace plimsoll::tool
