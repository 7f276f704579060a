#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "run/request.h"
#include "run/result.h"

namespace plimsoll::records {

// The version of every new record, and the only one a live answer may carry.
inline constexpr std::uint32_t kRecordVersion = 4;

// The daemon's statement of one run (records.md 4.1). Text fields as on the wire.
struct Record {
  std::uint32_t version = 0;
  std::string request_sha256 = {};
  std::string result_sha256 = {};
  std::string provider = {};
  std::string isolation = {};
  std::string environment = {};
  std::string policy = {};
  std::int64_t started_unix_ms = 0;
  std::int64_t ended_unix_ms = 0;
  std::string session = {};
  std::uint64_t sequence = 0;
  std::string previous_sha256 = {};
  std::string record_sha256 = {};
  std::string software_identity = {};
  std::string software_rule_id = {};
  std::string unanswered = {};
  std::string instance = {};
  friend bool operator==(const Record&, const Record&) = default;
};

// Every function here is pure and may be called from any thread. Digests are 64 lowercase hex digits.

// records.md 2, over the request as it was sent. No payload is copied.
std::string RequestDigest(const run::Draft& request);

// records.md 3. Numbers and text are hashed as they stand: MakeRecordable comes first where a result is made. No
// payload is copied.
std::string ResultDigest(const run::Result& result);

// records.md 4.2, over the fields of `record.version` (1 to 4; another version hashes the fields of version 4 under its
// own domain, so such a record can be named and refused). `record_sha256` itself is not covered.
std::string RecordDigest(const Record& record);

// The name of a field that is set although `record.version` does not cover it, or empty. A reader refuses such a
// record: its digest does not protect that field.
std::string_view UncoveredField(const Record& record);

// records.md 4.3: empty, `exact:<identity>` or `approved:sha256:<hex>`. The rule is expected to be well formed.
std::string SoftwareRuleId(const run::SoftwareRuleDraft& rule);

// True for the empty text and for a typed reference of records.md 4.1.
bool IsInstance(std::string_view text);

// The fingerprint of a session: hex SHA-256 of its ID.
std::string Fingerprint(std::string_view session_id);

// Makes a finished report fit to be sent and hashed alike in every codec: each NaN becomes the one quiet NaN
// 7ff8000000000000, and text that a provider made has its invalid UTF-8 replaced by U+FFFD. Guest output and artifact
// contents are bytes and stay as they are.
void MakeRecordable(run::Report& report);

// A version 4 record of a single run that was answered, its own digest included. `report` is one that MakeRecordable
// has passed. Evidence comes from it alone, so a record cannot state what its answer does not.
Record Stamp(const run::Draft& request, const run::Report& report, std::string_view policy,
             std::int64_t started_unix_ms, std::int64_t ended_unix_ms);

// The same of a session call that may have run and has no answer (records.md 6.2). `stated` holds the evidence that the
// session stated when it was opened; `code` is the Connect code of its error, one of kConnectCodes.
Record StampUnanswered(const run::Draft& request, const run::Report& stated, std::string_view policy,
                       std::int64_t started_unix_ms, std::int64_t ended_unix_ms, std::string_view code);

}  // namespace plimsoll::records
