#include "clients/cpp/details.h"

#include <array>
#include <cstdint>
#include <variant>

#include "clients/cpp/messages.h"
#include "clients/cpp/names.h"
#include "clients/cpp/wire_reader.h"

namespace plimsoll::client {
namespace {

using Type = WireField::Type;

constexpr std::uint64_t kReasons = 7;

using Member = std::variant<std::uint32_t records::Record::*, std::int64_t records::Record::*,
                            std::uint64_t records::Record::*, std::string records::Record::*>;

// The fields of `plimsoll.v1.RunRecord`; the place in the table is the number, from 1.
constexpr std::array<Member, 17> kRecordFields = {
    &records::Record::version,       &records::Record::request_sha256,    &records::Record::result_sha256,
    &records::Record::provider,      &records::Record::isolation,         &records::Record::environment,
    &records::Record::policy,        &records::Record::started_unix_ms,   &records::Record::ended_unix_ms,
    &records::Record::session,       &records::Record::sequence,          &records::Record::previous_sha256,
    &records::Record::record_sha256, &records::Record::software_identity, &records::Record::software_rule_id,
    &records::Record::unanswered,    &records::Record::instance,
};

bool ReadRecord(std::string_view bytes, records::Record& out) {
  for (WireReader reader(bytes); !reader.done();) {
    const auto field = reader.Next();
    if (!field) {
      return false;
    }
    if (field->number > kRecordFields.size()) {
      continue;
    }
    const auto set = [&](auto member) { return Set(*field, out.*member); };
    if (!std::visit(set, kRecordFields[field->number - 1])) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<NotDispatched> DecodeNotDispatched(std::string_view bytes) {
  std::uint64_t reason = 0;
  for (WireReader reader(bytes); !reader.done();) {
    const auto field = reader.Next();
    if (!field || (field->number == 1 && field->type != Type::kVarint)) {
      return std::nullopt;
    }
    if (field->number == 1) {
      reason = field->varint;
    }
  }
  // The wire numbers the reasons from 1, in the order of the enumerators.
  return reason >= 1 && reason <= kReasons ? static_cast<NotDispatched>(reason - 1) : NotDispatched::kUnknown;
}

std::optional<SessionEnded> DecodeSessionEnded(std::string_view bytes) {
  SessionEnded out;
  for (WireReader reader(bytes); !reader.done();) {
    const auto field = reader.Next();
    if (!field || (field->number == 1 && field->type != Type::kVarint) ||
        (field->number == 2 && !Set(*field, out.detail))) {
      return std::nullopt;
    }
    if (field->number == 1) {
      out.reason = SessionEndNumbered(field->varint);
    }
  }
  out.detail = Bounded(std::move(out.detail));
  return out;
}

std::optional<records::Record> DecodeUnansweredCall(std::string_view bytes) {
  std::optional<records::Record> out;
  for (WireReader reader(bytes); !reader.done();) {
    const auto field = reader.Next();
    if (!field) {
      return std::nullopt;
    }
    if (field->number != 1) {
      continue;
    }
    if (field->type != Type::kBytes || !ReadRecord(field->bytes, out.emplace())) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace plimsoll::client
