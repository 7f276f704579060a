#include "clients/cpp/check.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "clients/cpp/check_annex.h"
#include "clients/cpp/convert.h"
#include "isolation/tier.h"
#include "records/verify.h"

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

// A record's flaw as the error of a call.
Error DataLossOf(const records::Flaw& flaw) {
  switch (flaw.kind) {
    case records::Flaw::Kind::kVersion:
      return DataLoss(ErrorClass::kRecordVersion, "the run record is of another version: " + flaw.says);
    case records::Flaw::Kind::kMismatch: return Mismatch(flaw.says);
    case records::Flaw::Kind::kBelowFloor:
      return DataLoss(ErrorClass::kIsolationEvidenceMismatch,
                      "the isolation does not meet the floor: " + flaw.says + "; the code may have run");
  }
  return Mismatch(flaw.says);  // unreachable: the switch is complete and -Wswitch keeps it so
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

std::optional<Error> CheckPlace(const records::Chain& chain, const records::Record& record) {
  if (const std::string_view broken = chain.BreakAt(record); !broken.empty()) {
    return DataLoss(ErrorClass::kChain, std::string("the run record does not continue the session: ").append(broken));
  }
  return std::nullopt;
}

// Steps 4 to 7.
std::optional<Error> CheckUpToTheFloor(const Sent& sent, const RunAnswer& answer, Place place) {
  if (auto failure = CheckKind(sent.request, answer.result)) {
    return failure;
  }
  if (auto failure = CheckRecord(sent, answer, place)) {
    return failure;
  }
  const auto flaw = records::CheckFloor(sent.request, answer.isolation);
  return flaw ? std::optional(DataLossOf(*flaw)) : std::nullopt;
}

}  // namespace

std::optional<Error> CheckRecord(const Sent& sent, const RunAnswer& answer, Place place) {
  if (!answer.record) {
    return DataLoss(ErrorClass::kNoRecord, "the answer carries no run record");
  }
  const records::Record& record = *answer.record;
  if (const auto flaw = records::CheckVersion(record)) {
    return DataLossOf(*flaw);
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
  if (const auto flaw = records::CheckSoftware(sent.request, record)) {
    return DataLossOf(*flaw);
  }
  if (const auto flaw = records::CheckSeal(record)) {
    return DataLossOf(*flaw);
  }
  if (place == Place::kSingleRun &&
      (!record.session.empty() || record.sequence != 0 || !record.previous_sha256.empty())) {
    return Mismatch("a single run has no place in a session");
  }
  return std::nullopt;
}

std::optional<Error> CheckRunAnswer(const Sent& sent, const RunAnswer& answer) {
  if (auto failure = CheckUpToTheFloor(sent, answer, Place::kSingleRun)) {
    return failure;
  }
  return CheckAnswerAnnex(sent, answer);
}

std::optional<Error> CheckSessionAnswer(const Sent& sent, const RunAnswer& answer, const records::Chain& chain) {
  if (auto failure = CheckUpToTheFloor(sent, answer, Place::kSession)) {
    return failure;
  }
  PLIMSOLL_CHECK(answer.record.has_value());  // CheckRecord refuses an answer without one
  if (auto failure = CheckPlace(chain, *answer.record)) {
    return failure;
  }
  return CheckAnswerAnnex(sent, answer);
}

std::optional<Error> CheckUnansweredCall(const Sent& sent, const records::Record& record, const Opened& opened,
                                         const records::Chain& chain) {
  if (const auto flaw = records::CheckUnanswered(sent.request, sent.request_sha256, record)) {
    return DataLossOf(*flaw);
  }
  if (record.provider != opened.provider || record.isolation != opened.isolation ||
      record.software_identity != opened.software_identity) {
    return Mismatch("another provider, tier or software identity than the session was opened with");
  }
  return CheckPlace(chain, record);
}

std::optional<Error> CheckOpenAnswer(const OpenRequest& request, const OpenAnswer& answer) {
  if (answer.session != records::Fingerprint(answer.session_id)) {
    return DataLoss(ErrorClass::kChain, "the session's fingerprint is not that of its ID");
  }
  // PrepareOpen has parsed the floor before.
  const isolation::StatedTier tier = isolation::TierNamed(answer.isolation);
  if (!isolation::Floor::Parse(request.minimum_isolation).value().MetBy(tier)) {
    return DataLoss(ErrorClass::kIsolationEvidenceMismatch, std::string("the session's tier, ")
                                                                .append(isolation::Name(tier))
                                                                .append(", is below the floor asked for, ")
                                                                .append(request.minimum_isolation));
  }
  if (!run::Allows(request.software_rule, answer.software_identity)) {
    return DataLoss(ErrorClass::kSoftwareEvidenceMismatch, "the session's software is outside the rule sent");
  }
  return std::nullopt;
}

std::optional<Error> CheckCloseAnswer(const SessionSummary& summary, const records::Chain& chain) {
  if (summary.session == chain.fingerprint() && summary.calls == chain.calls() &&
      summary.last_record_sha256 == chain.last_sha256()) {
    return std::nullopt;
  }
  Error failure =
      DataLoss(ErrorClass::kChain, "the session was closed with another chain of calls than this client saw");
  failure.summary = summary;
  return failure;
}

Result<AnyResult> Settled(std::optional<Error> failure, RunAnswer&& answer) {
  const bool record_holds = !failure || failure->error_class == ErrorClass::kIsolationEvidenceMismatch ||
                            failure->error_class == ErrorClass::kEvidenceMismatch;
  if (failure) {
    answer.annex.reset();
  }
  std::optional<AnyResult> result =
      TakeResult(std::move(answer), record_holds ? ShowRecord::kChecked : ShowRecord::kNot);
  if (failure) {
    failure->http_status = 200;
    failure->result = std::move(result);
    return *std::move(failure);
  }
  PLIMSOLL_CHECK(result.has_value());  // the checks refuse an answer without a result
  return *std::move(result);
}

}  // namespace plimsoll::client
