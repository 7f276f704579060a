#include "clients/cpp/check.h"

#include <string>
#include <utility>

namespace plimsoll::client {
namespace {

Error DataLoss(ErrorClass error_class, std::string message) {
  return {.error_class = error_class, .code = Code::kDataLoss, .message = std::move(message)};
}

Error Mismatch(std::string_view what) {
  return DataLoss(ErrorClass::kRecordMismatch, std::string("the run record does not check: ").append(what));
}

// The name of the kind of a result, or `no result`.
std::string_view KindOf(const run::Result& result) {
  struct Visitor {
    std::string_view operator()(std::monostate) const { return "no result"; }
    std::string_view operator()(const run::JavaScriptResult&) const { return Name(run::Kind::kJavaScript); }
    std::string_view operator()(const run::ProjectResult&) const { return Name(run::Kind::kProject); }
    std::string_view operator()(const run::ModuleResult&) const { return Name(run::Kind::kModule); }
    std::string_view operator()(const run::CellResult&) const { return Name(run::Kind::kCell); }
  };
  return std::visit(Visitor{}, result);
}

std::optional<Error> CheckKind(const run::Request& request, const run::Result& result) {
  if (KindOf(result) == Name(request.kind())) {
    return std::nullopt;
  }
  return DataLoss(
      ErrorClass::kResultKindMismatch,
      std::string("a ").append(Name(request.kind())).append(" request was answered with ").append(KindOf(result)));
}

std::optional<Error> CheckVersion(const records::Record& record) {
  if (record.version == records::kRecordVersion) {
    return std::nullopt;
  }
  const std::string version = std::to_string(record.version);
  return DataLoss(ErrorClass::kRecordVersion,
                  record.version > records::kRecordVersion
                      ? "the run record has version " + version + ", of a newer daemon: upgrade the client"
                      : "the run record has version " + version + ", this client requires version 4");
}

// The record against the answer around it.
std::optional<Error> CheckEvidence(const records::Record& record, const RunAnswer& answer) {
  if (record.provider != answer.sandbox) {
    return Mismatch("another provider than the answer's");
  }
  if (record.isolation != answer.isolation) {
    return Mismatch("another tier than the answer's");
  }
  if (record.environment != answer.environment) {
    return Mismatch("another environment than the answer's");
  }
  if (record.instance != answer.instance || !records::IsInstance(record.instance)) {
    return Mismatch("another instance than the answer's, or not the form of one");
  }
  if (record.software_identity != answer.software_identity) {
    return Mismatch("another software identity than the answer's");
  }
  return std::nullopt;
}

std::optional<Error> CheckSoftware(const run::Request& request, const records::Record& record) {
  if (record.software_rule_id != records::SoftwareRuleId(request.as_sent().software_rule)) {
    return Mismatch("another software rule than the one sent");
  }
  if (!request.AllowsSoftware(record.software_identity)) {
    return Mismatch("software outside the rule sent");
  }
  return std::nullopt;
}

// The tier an answer names. A word that is none of ours is no tier, and meets no floor.
isolation::StatedTier TierNamed(std::string_view name) {
  using isolation::Tier;
  for (const Tier tier : {Tier::kNone, Tier::kProcess, Tier::kContainer, Tier::kKernel, Tier::kVm}) {
    if (name == isolation::Name(tier)) {
      return tier;
    }
  }
  return std::nullopt;
}

// An absent floor is met by any answer.
std::optional<Error> CheckFloor(const run::Request& request, std::string_view isolation) {
  const isolation::StatedTier tier = TierNamed(isolation);
  if (request.floor().MetBy(tier)) {
    return std::nullopt;
  }
  return DataLoss(ErrorClass::kIsolationEvidenceMismatch, std::string("the answer's tier, ")
                                                              .append(isolation::Name(tier))
                                                              .append(", is below the floor asked for, ")
                                                              .append(request.as_sent().minimum_isolation)
                                                              .append("; the code may have run"));
}

}  // namespace

std::optional<Error> CheckRecord(const Sent& sent, const RunAnswer& answer, Chain chain) {
  if (!answer.record) {
    return DataLoss(ErrorClass::kNoRecord, "the answer carries no run record");
  }
  const records::Record& record = *answer.record;
  if (auto failure = CheckVersion(record)) {
    return failure;
  }
  if (!record.unanswered.empty()) {
    return Mismatch("it says that the call was not answered");
  }
  if (record.request_sha256 != sent.request_sha256) {
    return Mismatch("it names another request");
  }
  if (record.result_sha256 != records::ResultDigest(answer.result)) {
    return Mismatch("it names another result");
  }
  if (auto failure = CheckEvidence(record, answer)) {
    return failure;
  }
  if (auto failure = CheckSoftware(sent.request, record)) {
    return failure;
  }
  if (record.ended_unix_ms < record.started_unix_ms) {
    return Mismatch("it ends before it starts");
  }
  if (record.record_sha256 != records::RecordDigest(record)) {
    return Mismatch("its own digest is another");
  }
  if (chain == Chain::kSingleRun &&
      (!record.session.empty() || record.sequence != 0 || !record.previous_sha256.empty())) {
    return Mismatch("a single run has no place in a session");
  }
  return std::nullopt;
}

std::optional<Error> CheckRunAnswer(const Sent& sent, const RunAnswer& answer) {
  if (auto failure = CheckKind(sent.request, answer.result)) {
    return failure;
  }
  if (auto failure = CheckRecord(sent, answer, Chain::kSingleRun)) {
    return failure;
  }
  return CheckFloor(sent.request, answer.isolation);
}

bool RecordHolds(const std::optional<Error>& failure) {
  return !failure || failure->error_class == ErrorClass::kIsolationEvidenceMismatch;
}

}  // namespace plimsoll::client
