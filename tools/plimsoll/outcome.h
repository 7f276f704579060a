#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

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

// The guest ran, whatever it did.
struct Ran {
  std::string stdout_bytes = {};
  std::string stderr_bytes = {};
  std::int32_t exit_code = 0;
  bool timed_out = false;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
  std::string provider = {};
  std::string isolation = {};
  std::string environment = {};
  std::string software_identity = {};
  std::string instance = {};
  std::chrono::milliseconds duration{0};
  RecordLine record = {};
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

using Outcome = std::variant<Ran, NothingRan, MayHaveRun>;

// A run as asked for on the command line, whoever runs it.
struct RunRequest {
  std::string code = {};
  std::string minimum_isolation = {};
  std::chrono::milliseconds timeout{0};  // 0: the provider's default
};

}  // namespace plimsoll::tool
