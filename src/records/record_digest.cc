#include <array>
#include <variant>

#include "records/canonical.h"
#include "records/record.h"

namespace plimsoll::records {
namespace {

using Member = std::variant<std::string Record::*, std::int64_t Record::*, std::uint64_t Record::*>;

struct Field {
  std::string_view name;
  std::uint32_t since;  // the first record version whose digest covers the field
  Member member;
};

// The table of records.md 4.2. One order serves every version: each takes the rows it covers.
constexpr std::array<Field, 15> kFields = {{
    {"request_sha256", 1, &Record::request_sha256},
    {"result_sha256", 1, &Record::result_sha256},
    {"unanswered", 3, &Record::unanswered},
    {"provider", 1, &Record::provider},
    {"isolation", 1, &Record::isolation},
    {"environment", 1, &Record::environment},
    {"policy", 1, &Record::policy},
    {"software_identity", 2, &Record::software_identity},
    {"software_rule_id", 2, &Record::software_rule_id},
    {"instance", 4, &Record::instance},
    {"started_unix_ms", 1, &Record::started_unix_ms},
    {"ended_unix_ms", 1, &Record::ended_unix_ms},
    {"session", 1, &Record::session},
    {"sequence", 1, &Record::sequence},
    {"previous_sha256", 1, &Record::previous_sha256},
}};

std::uint32_t FieldsOfVersion(std::uint32_t version) {
  return version >= 1 && version <= kRecordVersion ? version : kRecordVersion;
}

struct AddField {
  Canonical& out;
  const Record& record;
  std::string_view name;
  void operator()(std::string Record::* member) const { out.Bytes(name, record.*member); }
  void operator()(std::integral auto Record::* member) const { out.Integer(name, record.*member); }
};

struct IsSet {
  const Record& record;
  bool operator()(std::string Record::* member) const { return !(record.*member).empty(); }
  bool operator()(std::integral auto Record::* member) const { return record.*member != 0; }
};

}  // namespace

std::string RecordDigest(const Record& record) {
  Canonical out("plimsoll.run-record.v" + std::to_string(record.version));
  for (const Field& field : kFields) {
    if (field.since <= FieldsOfVersion(record.version)) {
      std::visit(AddField{out, record, field.name}, field.member);
    }
  }
  return out.Finish();
}

std::string_view UncoveredField(const Record& record) {
  for (const Field& field : kFields) {
    if (field.since > FieldsOfVersion(record.version) && std::visit(IsSet{record}, field.member)) {
      return field.name;
    }
  }
  return {};
}

}  // namespace plimsoll::records
