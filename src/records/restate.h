#pragma once

#include <utility>

namespace plimsoll::records {

// The public interfaces have structs of their own for records and probe reports, with members of the same names. These
// say once which those are.

// Moves a record as far as every interface shows it: all but the place in a session and the code of an unanswered call.
template <typename To, typename From>
void MoveRecord(From& from, To& to) {
  to.version = from.version;
  to.request_sha256 = std::move(from.request_sha256);
  to.result_sha256 = std::move(from.result_sha256);
  to.provider = std::move(from.provider);
  to.isolation = std::move(from.isolation);
  to.environment = std::move(from.environment);
  to.policy = std::move(from.policy);
  to.software_identity = std::move(from.software_identity);
  to.software_rule_id = std::move(from.software_rule_id);
  to.instance = std::move(from.instance);
  to.started_unix_ms = from.started_unix_ms;
  to.ended_unix_ms = from.ended_unix_ms;
  to.record_sha256 = std::move(from.record_sha256);
}

// What stands ahead of the probes in a probe report; without the probes and the digest.
template <typename To, typename From>
To ProbesHeadAs(const From& from) {
  To to;
  to.provider = from.provider;
  to.isolation = from.isolation;
  to.environment = from.environment;
  to.policy = from.policy;
  to.daemon_version = from.daemon_version;
  to.runtime_version = from.runtime_version;
  to.started_unix_ms = from.started_unix_ms;
  to.ended_unix_ms = from.ended_unix_ms;
  return to;
}

}  // namespace plimsoll::records
