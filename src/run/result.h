#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "isolation/tier.h"

namespace plimsoll::run {

// How the guest ended. A value, never an error.
enum class Ending { kExited, kSignalled, kDeadline, kOutOfMemory, kTrapped };

inline constexpr std::int32_t kExitDeadline = 124;
inline constexpr std::int32_t kExitTrapped = 134;
inline constexpr std::int32_t kExitKilled = 137;

// What a snippet left. stdout and stderr are the guest's bytes, exactly, cut to a prefix when a flag is set.
struct JavaScriptResult {
  std::string stdout_bytes;
  std::string stderr_bytes;
  std::int32_t exit_code = 0;
  bool timed_out = false;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
  Ending ending = Ending::kExited;  // ours; not on the wire of plimsoll.v1 and in no digest
};

struct CellResult {
  JavaScriptResult output;
  bool interpreter_started = false;
  bool interpreter_ended = false;
};

// The numbers are those of the wire and of the digests.
enum class Outcome : std::uint8_t {
  kUnspecified = 0,
  kCompleted = 1,
  kSetupFailed = 2,
  kTimedOut = 3,
  kProtocolError = 4,
  kRunnerFailed = 5,
};

struct StepResult {
  std::string command;
  std::string stdout_bytes;
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

struct ProjectResult {
  std::vector<StepResult> steps;
  Outcome outcome = Outcome::kUnspecified;
  std::string outcome_detail;  // our own words, valid UTF-8
  std::vector<Artifact> artifacts;
  bool artifacts_truncated = false;
};

struct ModuleRow {
  std::int32_t status = 0;
  std::vector<double> outputs;
};

struct ModuleResult {
  std::vector<ModuleRow> runs;
  std::int32_t width = 0;
  Outcome outcome = Outcome::kUnspecified;
  std::string outcome_detail;  // our own words, valid UTF-8
  std::string stdout_bytes;
  std::string stderr_bytes;
};

// monostate: an answer without a result, which only a client can meet.
using Result = std::variant<std::monostate, JavaScriptResult, ProjectResult, ModuleResult, CellResult>;

// A finished run with the evidence of the sandbox that ran it.
struct Report {
  std::string provider;
  isolation::StatedTier tier;
  std::string environment;
  std::string software_identity;
  std::string instance;  // empty, or the form of records.md 4.1
  std::chrono::milliseconds duration{0};
  Result result;
};

}  // namespace plimsoll::run
