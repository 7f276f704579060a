#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "run/request.h"
#include "run/result.h"

namespace plimsoll::records {

inline constexpr std::uint32_t kRecordVersion = 4;

// The daemon's statement of one run (records.md 4.1). Text fields as on the wire.
struct Record {
  std::uint32_t version = 0;
  std::string request_sha256;
  std::string result_sha256;
  std::string provider;
  std::string isolation;
  std::string environment;
  std::string policy;
  std::int64_t started_unix_ms = 0;
  std::int64_t ended_unix_ms = 0;
  std::string session;
  std::uint64_t sequence = 0;
  std::string previous_sha256;
  std::string record_sha256;
  std::string software_identity;
  std::string software_rule_id;
  std::string unanswered;
  std::string instance;
  friend bool operator==(const Record&, const Record&) = default;
};

// Lowercase hex digests of records.md 2, 3 and 4.2. No payload is copied.
std::string RequestDigest(const run::Draft& request);
std::string ResultDigest(const run::Result& result);
// Over the fields of `record.version` (1 to 4; another version hashes the fields of version 4 under its own domain).
std::string RecordDigest(const Record& record);

// records.md 4.3: empty, `exact:<identity>` or `approved:sha256:<hex>`.
std::string SoftwareRuleId(const run::SoftwareRuleDraft& rule);

// True for the empty text and for a typed reference of records.md 4.1.
bool IsInstance(std::string_view text);

// The fingerprint of a session: hex SHA-256 of its ID.
std::string Fingerprint(std::string_view session_id);

// A version 4 record of a single run that was answered, its own digest included. Evidence comes from `report` alone, so
// a record cannot state what its answer does not.
Record Stamp(const run::Draft& request, const run::Report& report, std::string_view policy,
             std::int64_t started_unix_ms, std::int64_t ended_unix_ms);

}  // namespace plimsoll::records
