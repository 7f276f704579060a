// The messages of sessions alone.
#include <string>
#include <utility>

#include "base/utf8.h"
#include "rpc/translate.h"

namespace plimsoll::rpc {

run::SessionOpen SessionOpenOf(v1::OpenSessionRequest&& message) {
  return {.trace_id = std::move(*message.mutable_trace_id()),
          .lifetime_ms = message.lifetime_ms(),
          .idle_timeout_ms = message.idle_timeout_ms(),
          .software_rule = RuleOf(message.software_rule()),
          .languages = {message.languages().begin(), message.languages().end()},
          .owner = std::move(*message.mutable_owner())};
}

// The numbers of the two enums are the same by contract: run/session_end.h, wire.md 5.
v1::SessionEnd EndOf(run::SessionEnd end) { return static_cast<v1::SessionEnd>(end); }

v1::OpenSessionResponse ResponseOf(sessions::Opened&& opened) {
  v1::OpenSessionResponse out;
  out.set_session_id(std::move(opened.session_id));
  out.set_session(std::move(opened.fingerprint));
  out.set_sandbox(base::RepairUtf8(opened.sandbox));
  out.set_isolation(std::string(isolation::Name(opened.facts.tier)));
  out.set_expires_unix_ms(std::chrono::floor<std::chrono::milliseconds>(opened.expires.time_since_epoch()).count());
  out.set_idle_timeout_ms(static_cast<std::uint32_t>(opened.idle.count()));
  out.set_software_identity(base::RepairUtf8(opened.facts.software_identity));
  return out;
}

v1::SessionRunResponse ResponseOf(dispatch::Answer&& answer, const std::optional<run::SessionEnded>& ended) {
  v1::SessionRunResponse out;
  *out.mutable_run() = ResponseOf(std::move(answer));
  if (ended) {
    out.set_ended(EndOf(ended->reason));
    out.set_end_detail(ended->detail);
  }
  return out;
}

v1::CloseSessionResponse ResponseOf(sessions::Closed&& closed) {
  v1::CloseSessionResponse out;
  out.set_session(std::move(closed.fingerprint));
  out.set_calls(closed.calls);
  out.set_last_record_sha256(std::move(closed.last_record_sha256));
  out.set_ended(EndOf(closed.end));
  return out;
}

}  // namespace plimsoll::rpc
