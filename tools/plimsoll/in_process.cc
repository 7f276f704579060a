#include "tools/plimsoll/in_process.h"

#include <cstdlib>
#include <utility>

#include "plimsoll/sandbox.h"

namespace plimsoll::tool {
namespace {

struct ToOutcome {
  Outcome operator()(RunResult&& result) const {
    return Ran{.stdout_bytes = std::move(result.stdout_bytes),
               .stderr_bytes = std::move(result.stderr_bytes),
               .exit_code = result.exit_code,
               .timed_out = result.timed_out,
               .stdout_truncated = result.stdout_truncated,
               .stderr_truncated = result.stderr_truncated,
               .provider = std::move(result.provider),
               .isolation = std::move(result.isolation),
               .environment = std::move(result.environment),
               .software_identity = result.record.software_identity,
               .instance = result.record.instance,
               .duration = result.duration,
               .record = {.version = result.record.version,
                          .request_sha256 = std::move(result.record.request_sha256),
                          .result_sha256 = std::move(result.record.result_sha256),
                          .policy = std::move(result.record.policy),
                          .software_rule_id = std::move(result.record.software_rule_id),
                          .started_unix_ms = result.record.started_unix_ms,
                          .ended_unix_ms = result.record.ended_unix_ms,
                          .record_sha256 = std::move(result.record.record_sha256)}};
  }
  Outcome operator()(Refusal&& refusal) const {
    return NothingRan{.reason = std::move(refusal.reason), .message = std::move(refusal.message)};
  }
  Outcome operator()(Fault&& fault) const { return MayHaveRun{.message = std::move(fault.message)}; }
};

std::variant<Sandbox, StartError> OpenSandbox() {
  Options options;
  if (const char* libexec = std::getenv("PLIMSOLL_LIBEXEC")) {
    options.libexec = libexec;
  }
  return Sandbox::Open(options);
}

NothingRan NotStarted(StartError error) { return {.reason = "environment", .message = std::move(error.message)}; }

}  // namespace

Outcome RunInProcess(const RunRequest& request) {
  auto opened = OpenSandbox();
  if (auto* error = std::get_if<StartError>(&opened)) {
    return NotStarted(std::move(*error));
  }
  RunOptions options;
  options.minimum_isolation = request.minimum_isolation;
  options.timeout = request.timeout;
  return std::visit(ToOutcome{}, std::get<Sandbox>(opened).RunJavaScript(request.code, options));
}

std::variant<client::Info, NothingRan> DescribeInProcess() {
  auto opened = OpenSandbox();
  if (auto* error = std::get_if<StartError>(&opened)) {
    return NotStarted(std::move(*error));
  }
  const auto& sandbox = std::get<Sandbox>(opened);
  client::Info info{.provider = std::string(sandbox.provider()), .isolation = std::string(sandbox.isolation())};
  if (!sandbox.environment().empty()) {
    info.javascript_environment = client::PayloadEnvironment{.identity = std::string(sandbox.environment()),
                                                             .max_timeout = sandbox.max_timeout()};
  }
  return info;
}

}  // namespace plimsoll::tool
