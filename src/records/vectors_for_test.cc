#include "records/vectors_for_test.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <fstream>
#include <limits>

#include "base/base64.h"
#include "base/check.h"

namespace plimsoll::records {
namespace {

using Json = nlohmann::json;

std::string SnakeOf(std::string_view camel) {
  std::string out;
  for (const char c : camel) {
    if (c >= 'A' && c <= 'Z') {
      out += '_';
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += c;
    }
  }
  return out;
}

// The member under either spelling, or null.
Json Get(const Json& object, std::string_view camel) {
  for (const std::string& name : {std::string(camel), SnakeOf(camel)}) {
    if (const auto found = object.find(name); found != object.end()) {
      return *found;
    }
  }
  return nullptr;
}

std::string Text(const Json& object, std::string_view name) {
  const Json value = Get(object, name);
  return value.is_null() ? std::string() : value.get<std::string>();
}

std::string Bytes(const Json& object, std::string_view name) {
  const auto decoded = base::Base64Decode(Text(object, name));
  PLIMSOLL_CHECK(decoded.has_value());
  return *decoded;
}

template <typename T>
T Integer(const Json& object, std::string_view name) {
  const Json value = Get(object, name);
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    T number = 0;
    PLIMSOLL_CHECK(std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc());
    return number;
  }
  return value.is_null() ? T{0} : value.get<T>();
}

bool Flag(const Json& object, std::string_view name) {
  const Json value = Get(object, name);
  return !value.is_null() && value.get<bool>();
}

double Number(const Json& value) {
  if (!value.is_string()) {
    return value.is_null() ? 0 : value.get<double>();
  }
  const auto& text = value.get_ref<const std::string&>();
  if (text == "NaN") {
    return std::bit_cast<double>(std::uint64_t{0x7ff8000000000000});
  }
  if (text.ends_with("Infinity")) {
    return text.front() == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  return std::stod(text);
}

std::vector<double> Numbers(const Json& values) {
  std::vector<double> out;
  for (const Json& value : values) {
    out.push_back(Number(value));
  }
  return out;
}

std::vector<std::string> Texts(const Json& values) {
  return values.is_null() ? std::vector<std::string>() : values.get<std::vector<std::string>>();
}

std::vector<run::File> Files(const Json& object) {
  std::vector<run::File> out;
  for (const Json& file : Get(object, "files")) {
    out.push_back({Text(file, "path"), Text(file, "content")});
  }
  return out;
}

run::Payload PayloadOf(const Json& request) {
  if (const Json javascript = Get(request, "javascript"); !javascript.is_null()) {
    return run::JavaScript{Text(javascript, "code"), Text(javascript, "grantProfile")};
  }
  if (const Json cell = Get(request, "cell"); !cell.is_null()) {
    return run::Cell{Text(cell, "language"), Text(cell, "code"), Files(cell)};
  }
  if (const Json project = Get(request, "project"); !project.is_null()) {
    return run::Project{Files(project), Texts(Get(project, "steps")), Texts(Get(project, "artifacts")),
                        Text(project, "grantProfile")};
  }
  if (const Json module = Get(request, "module"); !module.is_null()) {
    run::Module out{Text(module, "model"), {}, Number(Get(module, "endTime")), Number(Get(module, "step"))};
    for (const Json& row : Get(module, "rows")) {
      out.rows.push_back(Numbers(Get(row, "values")));
    }
    return out;
  }
  return {};
}

run::Outcome OutcomeOf(const Json& value) {
  if (value.is_number()) {
    return static_cast<run::Outcome>(value.get<std::uint8_t>());
  }
  constexpr std::array<std::string_view, 6> kNames = {
      "PROJECT_OUTCOME_UNSPECIFIED", "PROJECT_OUTCOME_COMPLETED",      "PROJECT_OUTCOME_SETUP_FAILED",
      "PROJECT_OUTCOME_TIMED_OUT",   "PROJECT_OUTCOME_PROTOCOL_ERROR", "PROJECT_OUTCOME_RUNNER_FAILED"};
  const std::string name = value.is_null() ? std::string(kNames[0]) : value.get<std::string>();
  const auto found = std::ranges::find(kNames, name);
  PLIMSOLL_CHECK(found != kNames.end());
  return static_cast<run::Outcome>(found - kNames.begin());
}

run::JavaScriptResult OutputOf(const Json& result) {
  run::JavaScriptResult out;
  out.stdout_bytes = Bytes(result, "stdout");
  out.stderr_bytes = Bytes(result, "stderr");
  out.exit_code = Integer<std::int32_t>(result, "exitCode");
  out.timed_out = Flag(result, "timedOut");
  out.stdout_truncated = Flag(result, "stdoutTruncated");
  out.stderr_truncated = Flag(result, "stderrTruncated");
  return out;
}

run::ProjectResult ProjectResultOf(const Json& result) {
  run::ProjectResult out;
  out.outcome = OutcomeOf(Get(result, "outcome"));
  out.outcome_detail = Text(result, "outcomeDetail");
  out.artifacts_truncated = Flag(result, "artifactsTruncated");
  for (const Json& step : Get(result, "steps")) {
    const run::JavaScriptResult output = OutputOf(step);
    out.steps.push_back({Text(step, "command"), output.stdout_bytes, output.stderr_bytes, output.exit_code,
                         output.timed_out, output.stdout_truncated, output.stderr_truncated,
                         std::chrono::milliseconds(Integer<std::int64_t>(step, "durationMs"))});
  }
  for (const Json& artifact : Get(result, "artifacts")) {
    out.artifacts.push_back({Text(artifact, "path"), Bytes(artifact, "content")});
  }
  return out;
}

run::ModuleResult ModuleResultOf(const Json& result) {
  run::ModuleResult out;
  out.width = Integer<std::int32_t>(result, "width");
  out.outcome = OutcomeOf(Get(result, "outcome"));
  out.outcome_detail = Text(result, "outcomeDetail");
  out.stdout_bytes = Bytes(result, "stdout");
  out.stderr_bytes = Bytes(result, "stderr");
  for (const Json& row : Get(result, "runs")) {
    out.runs.push_back({Integer<std::int32_t>(row, "status"), Numbers(Get(row, "outputs"))});
  }
  return out;
}

}  // namespace

namespace {

std::vector<Json> CasesOf(const char* path, std::string_view group) {
  std::ifstream file(path);
  std::vector<Json> out;
  const Json vectors = Json::parse(file);
  for (const Json& item : vectors["cases"]) {
    if (item["group"] == group) {
      out.push_back(item);
    }
  }
  PLIMSOLL_CHECK(!out.empty());
  return out;
}

}  // namespace

std::vector<Json> VectorsOf(std::string_view group) {
  return CasesOf(PLIMSOLL_SOURCE_DIR "/tests/vectors/records.json", group);
}

std::vector<Json> ExtensionVectorsOf(std::string_view group) {
  return CasesOf(PLIMSOLL_SOURCE_DIR "/tests/vectors/records-ext.json", group);
}

run::Draft DraftFromVector(const Json& request) {
  run::Draft out;
  out.protocol = Integer<std::uint32_t>(request, "protocol");
  out.minimum_isolation = Text(request, "minimumIsolation");
  out.trace_id = Text(request, "traceId");
  out.timeout_ms = Integer<std::int32_t>(request, "timeoutMs");
  if (const Json rule = Get(request, "softwareRule"); !rule.is_null()) {
    out.software_rule = {Text(rule, "mode"), Texts(Get(rule, "identities"))};
  }
  out.payload = PayloadOf(request);
  return out;
}

run::Result ResultFromVector(const Json& response) {
  if (const Json javascript = Get(response, "javascript"); !javascript.is_null()) {
    return OutputOf(javascript);
  }
  if (const Json project = Get(response, "project"); !project.is_null()) {
    return ProjectResultOf(project);
  }
  if (const Json module = Get(response, "module"); !module.is_null()) {
    return ModuleResultOf(module);
  }
  if (const Json cell = Get(response, "cell"); !cell.is_null()) {
    return run::CellResult{OutputOf(cell), Flag(cell, "interpreterStarted"), Flag(cell, "interpreterEnded")};
  }
  return {};
}

Record RecordFromVector(const Json& record) {
  return {.version = Integer<std::uint32_t>(record, "version"),
          .request_sha256 = Text(record, "requestSha256"),
          .result_sha256 = Text(record, "resultSha256"),
          .provider = Text(record, "provider"),
          .isolation = Text(record, "isolation"),
          .environment = Text(record, "environment"),
          .policy = Text(record, "policy"),
          .started_unix_ms = Integer<std::int64_t>(record, "startedUnixMs"),
          .ended_unix_ms = Integer<std::int64_t>(record, "endedUnixMs"),
          .session = Text(record, "session"),
          .sequence = Integer<std::uint64_t>(record, "sequence"),
          .previous_sha256 = Text(record, "previousSha256"),
          .record_sha256 = Text(record, "recordSha256"),
          .software_identity = Text(record, "softwareIdentity"),
          .software_rule_id = Text(record, "softwareRuleId"),
          .unanswered = Text(record, "unanswered"),
          .instance = Text(record, "instance")};
}

}  // namespace plimsoll::records
