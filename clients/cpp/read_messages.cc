#include <array>
#include <utility>

#include "clients/cpp/json_message.h"
#include "clients/cpp/json_text.h"
#include "clients/cpp/messages.h"
#include "clients/cpp/names.h"
#include "clients/cpp/read_annex.h"

namespace plimsoll::client {
namespace {

constexpr std::string_view kOutcomePrefix = "PROJECT_OUTCOME_";
// In the order of run::Outcome.
constexpr std::array<std::string_view, 6> kOutcomes = {"UNSPECIFIED", "COMPLETED",      "SETUP_FAILED",
                                                       "TIMED_OUT",   "PROTOCOL_ERROR", "RUNNER_FAILED"};

run::Outcome OutcomeIn(const JsonMessage& message) {
  return static_cast<run::Outcome>(message.Enum("outcome", kOutcomePrefix, kOutcomes));
}

constexpr std::string_view kSessionEndPrefix = "SESSION_END_";
constexpr std::array<std::string_view, 11> kSessionEnds = {
    "UNSPECIFIED",     "CLOSED",   "EXPIRED",  "DISK_EXCEEDED", "MAIN_PROCESS_ENDED", "BOUNDARY_FAILED",
    "SANDBOX_CHANGED", "SHUTDOWN", "REPLACED", "NOT_FOUND",     "UNCLAIMED"};

// How a session ended; nothing while it is open. A reason of the future is one too.
std::optional<SessionEnd> EndIn(const JsonMessage& message) {
  const auto number = message.GrowingEnum("ended", kSessionEndPrefix, kSessionEnds);
  return number == 0 ? std::nullopt : std::optional(SessionEndNumbered(number.value_or(0)));
}

// What one process left, of a snippet or of a step: their members have the same names.
template <typename Output>
Output ReadOutput(const JsonMessage& message) {
  Output out;
  out.stdout_bytes = message.Bytes("stdout");
  out.stderr_bytes = message.Bytes("stderr");
  out.exit_code = message.Int32("exitCode");
  out.timed_out = message.Flag("timedOut");
  out.stdout_truncated = message.Flag("stdoutTruncated");
  out.stderr_truncated = message.Flag("stderrTruncated");
  return out;
}

run::StepResult ReadStep(const JsonMessage& message) {
  auto out = ReadOutput<run::StepResult>(message);
  out.command = message.Text("command");
  out.duration = std::chrono::milliseconds(message.Int64("durationMs"));
  return out;
}

run::ProjectResult ReadProject(const JsonMessage& message) {
  run::ProjectResult out;
  message.Each("steps", [&](const JsonMessage& step) { out.steps.push_back(ReadStep(step)); });
  out.outcome = OutcomeIn(message);
  out.outcome_detail = message.Text("outcomeDetail");
  message.Each("artifacts", [&](const JsonMessage& artifact) {
    out.artifacts.push_back({artifact.Text("path"), artifact.Bytes("content")});
  });
  out.artifacts_truncated = message.Flag("artifactsTruncated");
  return out;
}

run::ModuleResult ReadModule(const JsonMessage& message) {
  run::ModuleResult out;
  message.Each("runs",
               [&](const JsonMessage& row) { out.runs.push_back({row.Int32("status"), row.Numbers("outputs")}); });
  out.width = message.Int32("width");
  out.outcome = OutcomeIn(message);
  out.outcome_detail = message.Text("outcomeDetail");
  out.stdout_bytes = message.Bytes("stdout");
  out.stderr_bytes = message.Bytes("stderr");
  return out;
}

run::CellResult ReadCell(const JsonMessage& message) {
  run::CellResult out;
  out.output = ReadOutput<run::JavaScriptResult>(message);
  out.interpreter_started = message.Flag("interpreterStarted");
  out.interpreter_ended = message.Flag("interpreterEnded");
  return out;
}

records::Record ReadRecord(const JsonMessage& message) {
  return {.version = message.Uint32("version"),
          .request_sha256 = message.Text("requestSha256"),
          .result_sha256 = message.Text("resultSha256"),
          .provider = message.Text("provider"),
          .isolation = message.Text("isolation"),
          .environment = message.Text("environment"),
          .policy = message.Text("policy"),
          .started_unix_ms = message.Int64("startedUnixMs"),
          .ended_unix_ms = message.Int64("endedUnixMs"),
          .session = message.Text("session"),
          .sequence = message.Uint64("sequence"),
          .previous_sha256 = message.Text("previousSha256"),
          .record_sha256 = message.Text("recordSha256"),
          .software_identity = message.Text("softwareIdentity"),
          .software_rule_id = message.Text("softwareRuleId"),
          .unanswered = message.Text("unanswered"),
          .instance = message.Text("instance")};
}

// The one result that is there; none is left to the checks, more than one is a problem.
run::Result ReadResult(const JsonMessage& message, Problems& problems) {
  run::Result out;
  const auto take = [&](std::string_view name, auto read) {
    if (!message.Has(name)) {
      return;
    }
    if (out.index() != 0) {
      problems.Note("result");
      return;
    }
    out = read(message.Message(name));
  };
  take("javascript", ReadOutput<run::JavaScriptResult>);
  take("project", ReadProject);
  take("module", ReadModule);
  take("cell", ReadCell);
  return out;
}

std::optional<PayloadEnvironment> ReadEnvironment(const JsonMessage& message, std::string_view name) {
  if (!message.Has(name)) {
    return std::nullopt;
  }
  const JsonMessage environment = message.Message(name);
  return PayloadEnvironment{.identity = environment.Text("identity"),
                            .software_identity = environment.Text("softwareIdentity"),
                            .max_timeout = std::chrono::milliseconds(environment.Uint32("maxTimeoutMs")),
                            .languages = environment.Texts("languages")};
}

Resources ReadResources(const JsonMessage& message) {
  return {.memory_mb = message.Uint32("memoryMb"),
          .cpus = message.Number("cpus"),
          .pids = message.Uint32("pids"),
          .disk_mb = message.Uint32("diskMb")};
}

// Reads a body with `read`, which gets the message and where to note problems.
template <typename T, typename Read>
std::variant<T, Malformed> ReadBody(std::string_view body, Read read) {
  const auto json = ParseStrictJson(body);
  if (!json) {
    return Malformed{"the answer is not JSON as the protocol allows it"};
  }
  Problems problems;
  const JsonMessage message(*json, "answer", problems);
  T out = read(message, problems);
  if (problems.any()) {
    return Malformed{"the answer's field " + problems.first() + " cannot be read"};
  }
  return out;
}

RunAnswer ReadRun(const JsonMessage& message, Problems& problems, AskForAnnex annex) {
  RunAnswer out;
  out.sandbox = message.Text("sandbox");
  out.isolation = message.Text("isolation");
  out.environment = message.Text("environment");
  out.software_identity = message.Text("softwareIdentity");
  out.instance = message.Text("instance");
  out.duration = std::chrono::milliseconds(message.Int64("durationMs"));
  if (message.Has("record")) {
    out.record = ReadRecord(message.Message("record"));
  }
  out.result = ReadResult(message, problems);
  if (annex == AskForAnnex::kYes && message.Has("annex")) {
    out.annex = ReadAnnex(message.Message("annex"), problems);
  }
  return out;
}

}  // namespace

std::variant<RunAnswer, Malformed> ReadRunAnswer(std::string_view body, AskForAnnex annex) {
  return ReadBody<RunAnswer>(
      body, [&](const JsonMessage& message, Problems& problems) { return ReadRun(message, problems, annex); });
}

std::variant<OpenAnswer, Malformed> ReadOpenSessionAnswer(std::string_view body) {
  return ReadBody<OpenAnswer>(body, [](const JsonMessage& message, Problems&) {
    return OpenAnswer{.session_id = message.Text("sessionId"),
                      .session = message.Text("session"),
                      .sandbox = message.Text("sandbox"),
                      .isolation = message.Text("isolation"),
                      .expires_unix_ms = message.Int64("expiresUnixMs"),
                      .idle_timeout_ms = message.Uint32("idleTimeoutMs"),
                      .software_identity = message.Text("softwareIdentity")};
  });
}

std::variant<SessionRunAnswer, Malformed> ReadSessionRunAnswer(std::string_view body, AskForAnnex annex) {
  return ReadBody<SessionRunAnswer>(body, [&](const JsonMessage& message, Problems& problems) {
    SessionRunAnswer out{.run = ReadRun(message.Message("run"), problems, annex), .ended = {}};
    std::string detail = Bounded(message.Text("endDetail"));
    if (const auto end = EndIn(message)) {
      out.ended = SessionEnded{.reason = *end, .detail = std::move(detail)};
    }
    return out;
  });
}

std::variant<SessionSummary, Malformed> ReadCloseSessionAnswer(std::string_view body) {
  return ReadBody<SessionSummary>(body, [](const JsonMessage& message, Problems&) {
    return SessionSummary{.session = message.Text("session"),
                          .calls = message.Uint64("calls"),
                          .last_record_sha256 = message.Text("lastRecordSha256"),
                          .ended = EndIn(message).value_or(SessionEnd::kUnknown)};
  });
}

std::variant<Info, Malformed> ReadDescribeAnswer(std::string_view body) {
  return ReadBody<Info>(body, [](const JsonMessage& message, Problems&) {
    Info out;
    out.provider = message.Text("sandbox");
    out.isolation = message.Text("isolation");
    out.protocol = message.Uint32("protocol");
    out.protocols = message.Uint32s("protocols");
    out.supports_project = message.Flag("supportsProject");
    out.supports_module = message.Flag("supportsModule");
    out.supports_sessions = message.Flag("supportsSessions");
    out.supports_javascript_grants = message.Flag("supportsJavascriptGrants");
    out.supports_project_grants = message.Flag("supportsProjectGrants");
    out.javascript_environment = ReadEnvironment(message, "javascriptEnvironment");
    out.project_environment = ReadEnvironment(message, "projectEnvironment");
    out.module_environment = ReadEnvironment(message, "moduleEnvironment");
    out.session_environment = ReadEnvironment(message, "sessionEnvironment");
    out.resources = ReadResources(message.Message("resources"));
    out.policy = message.Text("policy");
    out.session_lifetime = std::chrono::milliseconds(message.Uint32("sessionLifetimeMs"));
    out.session_idle_timeout = std::chrono::milliseconds(message.Uint32("sessionIdleTimeoutMs"));
    out.max_sessions_per_caller = message.Uint32("maxSessionsPerCaller");
    out.max_sessions_per_owner = message.Uint32("maxSessionsPerOwner");
    return out;
  });
}

std::variant<CapabilityList, Malformed> ReadCapabilitiesAnswer(std::string_view body) {
  return ReadBody<CapabilityList>(body, [](const JsonMessage& message, Problems&) {
    return CapabilityList{.procedures = message.Texts("procedures"),
                          .options = message.Texts("options"),
                          .checkpoint_levels = message.Texts("checkpointLevels")};
  });
}

std::variant<ProbeReportAnswer, Malformed> ReadProbeReportAnswer(std::string_view body) {
  return ReadBody<ProbeReportAnswer>(body, [](const JsonMessage& message, Problems&) {
    const JsonMessage report = message.Message("report");
    ProbeReportAnswer out{.report = {.provider = report.Text("provider"),
                                     .isolation = report.Text("isolation"),
                                     .environment = report.Text("environment"),
                                     .policy = report.Text("policy"),
                                     .daemon_version = report.Text("daemonVersion"),
                                     .runtime_version = report.Text("runtimeVersion"),
                                     .started_unix_ms = report.Int64("startedUnixMs"),
                                     .ended_unix_ms = report.Int64("endedUnixMs"),
                                     .sha256 = report.Text("sha256")},
                          .details = {}};
    report.Each("probes", [&](const JsonMessage& probe) {
      out.report.probes.push_back({.probe = probe.Text("probe"),
                                   .outcome = probe.Text("outcome"),
                                   .detail_sha256 = probe.Text("detailSha256")});
    });
    message.Each("details", [&](const JsonMessage& detail) {
      out.details.push_back({.probe = detail.Text("probe"),
                             .tried = detail.Text("tried"),
                             .happened = detail.Text("happened"),
                             .at_unix_ms = detail.Int64("atUnixMs")});
    });
    return out;
  });
}

}  // namespace plimsoll::client
