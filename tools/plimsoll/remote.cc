#include "tools/plimsoll/remote.h"

#include <utility>

namespace plimsoll::tool {
namespace {

client::Result<client::Client> ClientOf(const Daemon& daemon) {
  return client::Client::Create({.base_url = daemon.url,
                                 .token = daemon.token,
                                 .insecure_http = daemon.insecure_http,
                                 .ca_file = daemon.ca_file});
}

Outcome OutcomeOf(const client::Error& error) {
  if (error.not_dispatched) {
    return NothingRan{.reason = std::string(client::Name(*error.not_dispatched)),
                      .error = std::string(client::Name(error.error_class)),
                      .code = std::string(client::Name(error.code)),
                      .message = error.message,
                      .retry_after = error.retry_after};
  }
  return MayHaveRun{.error = std::string(client::Name(error.error_class)),
                    .code = std::string(client::Name(error.code)),
                    .message = error.message};
}

RecordLine LineOf(const client::Record& record) {
  return {.version = record.version,
          .request_sha256 = record.request_sha256,
          .result_sha256 = record.result_sha256,
          .policy = record.policy,
          .software_rule_id = record.software_rule_id,
          .started_unix_ms = record.started_unix_ms,
          .ended_unix_ms = record.ended_unix_ms,
          .record_sha256 = record.record_sha256};
}

Outcome OutcomeOf(client::JavaScriptResult result) {
  Ran ran{.stdout_bytes = std::move(result.stdout_bytes),
          .stderr_bytes = std::move(result.stderr_bytes),
          .exit_code = result.exit_code,
          .timed_out = result.timed_out,
          .stdout_truncated = result.stdout_truncated,
          .stderr_truncated = result.stderr_truncated,
          .provider = std::move(result.evidence.provider),
          .isolation = std::move(result.evidence.isolation),
          .environment = std::move(result.evidence.environment),
          .software_identity = std::move(result.evidence.software_identity),
          .instance = std::move(result.evidence.instance),
          .duration = result.evidence.duration};
  if (result.evidence.record) {
    ran.record = LineOf(*result.evidence.record);
  }
  return ran;
}

}  // namespace

Outcome RunOnDaemon(const Daemon& daemon, const RunRequest& request) {
  const auto made = ClientOf(daemon);
  if (!made) {
    return OutcomeOf(made.error());
  }
  auto result =
      made->RunJavaScript(request.code, {.timeout = request.timeout, .minimum_isolation = request.minimum_isolation});
  return result ? OutcomeOf(*std::move(result)) : OutcomeOf(result.error());
}

std::variant<client::Info, NothingRan> DescribeDaemon(const Daemon& daemon) {
  const auto made = ClientOf(daemon);
  auto info = made ? made->Describe() : client::Result<client::Info>(made.error());
  if (!info) {
    return NothingRan{.message = info.error().message};
  }
  return *std::move(info);
}

}  // namespace plimsoll::tool
