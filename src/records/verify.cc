#include "records/verify.h"

#include <algorithm>

#include "isolation/tier.h"

namespace plimsoll::records {
namespace {

Flaw Mismatch(std::string says) { return {Flaw::Kind::kMismatch, std::move(says)}; }

}  // namespace

std::optional<Flaw> CheckVersion(const Record& record) {
  if (record.version == kRecordVersion) {
    return std::nullopt;
  }
  const std::string version = std::to_string(record.version);
  return Flaw{Flaw::Kind::kVersion, record.version > kRecordVersion
                                        ? "it has version " + version + ", of a newer daemon: upgrade the client"
                                        : "it has version " + version + ", this client requires version 4"};
}

std::optional<Flaw> CheckSoftware(const run::Request& sent, const Record& record) {
  if (record.software_rule_id != SoftwareRuleId(sent.as_sent().software_rule)) {
    return Mismatch("another software rule than the one sent");
  }
  if (!sent.AllowsSoftware(record.software_identity)) {
    return Mismatch("software outside the rule sent");
  }
  return std::nullopt;
}

std::optional<Flaw> CheckSeal(const Record& record) {
  if (record.ended_unix_ms < record.started_unix_ms) {
    return Mismatch("it ends before it starts");
  }
  if (record.record_sha256 != RecordDigest(record)) {
    return Mismatch("its own digest is another");
  }
  return std::nullopt;
}

std::optional<Flaw> CheckFloor(const run::Request& sent, std::string_view stated) {
  const isolation::StatedTier tier = isolation::TierNamed(stated);
  if (sent.floor().MetBy(tier)) {
    return std::nullopt;
  }
  return Flaw{Flaw::Kind::kBelowFloor, std::string("its tier, ")
                                           .append(isolation::Name(tier))
                                           .append(", is below the floor asked for, ")
                                           .append(sent.as_sent().minimum_isolation)};
}

std::optional<Flaw> CheckUnanswered(const run::Request& sent, std::string_view request_sha256, const Record& record) {
  if (auto flaw = CheckVersion(record)) {
    return flaw;
  }
  if (!IsInstance(record.instance)) {
    return Mismatch("its instance has not the form of one");
  }
  if (!record.result_sha256.empty()) {
    return Mismatch("it names a result although there was no answer");
  }
  if (std::ranges::find(kConnectCodes, record.unanswered) == kConnectCodes.end()) {
    return Mismatch("it does not say how the call ended");
  }
  if (record.request_sha256 != request_sha256) {
    return Mismatch("it names another request");
  }
  if (auto flaw = CheckSoftware(sent, record)) {
    return flaw;
  }
  if (auto flaw = CheckSeal(record)) {
    return flaw;
  }
  return CheckFloor(sent, record.isolation);
}

}  // namespace plimsoll::records
