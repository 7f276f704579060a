#include "records/verify_annex.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "base/hex.h"

namespace plimsoll::records {
namespace {

Flaw Mismatch(std::string says) { return {Flaw::Kind::kMismatch, std::move(says)}; }

// What every part must do: hash to the digest it states, and name the request or the record it is of. `name` is the
// part's.
std::optional<Flaw> CheckPart(std::string_view name, const std::string& stated, const std::string& digest,
                              const std::string& of, std::string_view expected, std::string_view what) {
  if (stated != digest) {
    return Mismatch(std::string("the digest of its ").append(name).append(" is another"));
  }
  if (of != expected) {
    return Mismatch(std::string("another ").append(what).append(" stands in its ").append(name));
  }
  return std::nullopt;
}

// The four parts that name one thing each. An ending, which may name less, is CheckEnding's.
std::optional<Flaw> CheckParts(const Annex& annex, std::string_view request_sha256, std::string_view record_sha256) {
  if (const auto& part = annex.resources) {
    if (auto flaw = CheckPart("resource receipt", part->sha256, ResourcesDigest(*part), part->record_sha256,
                              record_sha256, "record")) {
      return flaw;
    }
  }
  if (const auto& part = annex.ledger) {
    if (auto flaw =
            CheckPart("ledger", part->sha256, LedgerDigest(*part), part->request_sha256, request_sha256, "request")) {
      return flaw;
    }
  }
  if (const auto& part = annex.call) {
    if (auto flaw =
            CheckPart("call facts", part->sha256, CallDigest(*part), part->record_sha256, record_sha256, "record")) {
      return flaw;
    }
  }
  if (const auto& part = annex.options) {
    return CheckPart("options", part->sha256, OptionsDigest(*part), part->request_sha256, request_sha256, "request");
  }
  return std::nullopt;
}

// An ending names what was known when the call ended, so either digest may be missing in it.
std::optional<Flaw> CheckEnding(const Ending& ending, std::string_view request_sha256, std::string_view record_sha256) {
  if (ending.sha256 != EndingDigest(ending)) {
    return Mismatch("the digest of its ending is another");
  }
  if (!ending.request_sha256.empty() && ending.request_sha256 != request_sha256) {
    return Mismatch("another request stands in its ending");
  }
  if (!ending.record_sha256.empty() && ending.record_sha256 != record_sha256) {
    return Mismatch("another record stands in its ending");
  }
  if (ending.ended_unix_ms < ending.started_unix_ms) {
    return Mismatch("its ending ends before it starts");
  }
  return std::nullopt;
}

// One stream as it was received. A module says nothing of truncation.
struct Received {
  std::string_view bytes;
  std::optional<bool> truncated;
};

// The output or the errors of one step of a result; nothing when it has no such step.
class FindStream {
 public:
  enum class Which { kOutput, kErrors };
  FindStream(std::int64_t step, Which which) : step_(step), which_(which) {}

  std::optional<Received> operator()(std::monostate) const { return std::nullopt; }
  std::optional<Received> operator()(const run::JavaScriptResult& result) const { return OfTheOnly(result); }
  std::optional<Received> operator()(const run::CellResult& result) const { return OfTheOnly(result.output); }
  std::optional<Received> operator()(const run::ProjectResult& result) const {
    if (step_ < 0 || std::cmp_greater_equal(step_, result.steps.size())) {
      return std::nullopt;
    }
    return Of(result.steps[static_cast<std::size_t>(step_)]);
  }
  std::optional<Received> operator()(const run::ModuleResult& result) const {
    return step_ == 0 ? std::optional<Received>(
                            {which_ == Which::kOutput ? result.stdout_bytes : result.stderr_bytes, std::nullopt})
                      : std::nullopt;
  }

 private:
  std::optional<Received> OfTheOnly(const run::JavaScriptResult& output) const {
    return step_ == 0 ? std::optional(Of(output)) : std::nullopt;
  }
  template <typename Output>
  Received Of(const Output& output) const {
    return which_ == Which::kOutput ? Received{output.stdout_bytes, output.stdout_truncated}
                                    : Received{output.stderr_bytes, output.stderr_truncated};
  }

  std::int64_t step_;
  Which which_;
};

std::optional<Flaw> CheckStream(const StreamSummary& summary, std::string_view request_sha256, const Received& got) {
  if (std::cmp_not_equal(summary.kept_bytes, got.bytes.size())) {
    return Mismatch("a stream keeps " + std::to_string(summary.kept_bytes) + " bytes, and " +
                    std::to_string(got.bytes.size()) + " were received");
  }
  if (got.truncated && summary.truncated != *got.truncated) {
    return Mismatch("a stream and the result do not agree on what was cut");
  }
  const bool fits =
      summary.truncated ? summary.produced_bytes >= summary.kept_bytes : summary.produced_bytes == summary.kept_bytes;
  if (summary.produced_bytes != kNotMeasured && !fits) {
    return Mismatch("a stream keeps " + std::to_string(summary.kept_bytes) + " of " +
                    std::to_string(summary.produced_bytes) + " bytes, which its mark of truncation does not allow");
  }
  if (summary.head != StreamHead(request_sha256, summary.step, summary.stream, got.bytes)) {
    return Mismatch("the head of a stream is another");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Flaw> CheckAnnex(const Annex& annex, std::string_view request_sha256, std::string_view record_sha256) {
  if (annex.ledger && annex.ledger->calls.size() > kMaxLedgerCalls) {
    return Mismatch("its ledger lists " + std::to_string(annex.ledger->calls.size()) + " calls, at most " +
                    std::to_string(kMaxLedgerCalls) + " can be");
  }
  if (annex.ending) {
    if (auto flaw = CheckEnding(*annex.ending, request_sha256, record_sha256)) {
      return flaw;
    }
  }
  if (auto flaw = CheckParts(annex, request_sha256, record_sha256)) {
    return flaw;
  }
  if (!annex.probes_sha256.empty() && !base::IsLowerHex(annex.probes_sha256, 64)) {
    return Mismatch("it names a probe report by what is no digest");
  }
  if (annex.annex_sha256 != AnnexDigest(annex, record_sha256)) {
    return Mismatch("its own digest is another, or of another record");
  }
  return std::nullopt;
}

std::optional<Flaw> CheckStreams(std::span<const StreamSummary> streams, std::string_view request_sha256,
                                 const run::Result& result) {
  using Which = FindStream::Which;
  std::optional<std::pair<std::int64_t, Which>> before;
  for (const StreamSummary& summary : streams) {
    if (summary.stream != "stdout" && summary.stream != "stderr") {
      return Mismatch("a stream is neither stdout nor stderr");
    }
    const Which which = summary.stream == "stdout" ? Which::kOutput : Which::kErrors;
    const std::pair place(summary.step, which);
    if (before && *before >= place) {
      return Mismatch("its streams are not sorted");
    }
    before = place;
    const auto received = std::visit(FindStream(summary.step, which), result);
    if (!received) {
      return Mismatch("a stream is of step " + std::to_string(summary.step) + ", which the result has not");
    }
    if (auto flaw = CheckStream(summary, request_sha256, *received)) {
      return flaw;
    }
  }
  return std::nullopt;
}

std::optional<Flaw> CheckAnsweredEnding(const Ending& ending, const run::Request& sent, const Record& record) {
  if (ending.ending != "answered" || ending.ran != "yes" || !ending.reason.empty() || !ending.code.empty()) {
    return Mismatch("its ending does not say that the call was answered");
  }
  if (ending.request_sha256 != record.request_sha256 || ending.record_sha256 != record.record_sha256) {
    return Mismatch("its ending does not name this request and this record");
  }
  if (ending.minimum_isolation != sent.as_sent().minimum_isolation ||
      ending.software_rule_id != record.software_rule_id) {
    return Mismatch("its ending names another floor or software rule than the one sent");
  }
  if (ending.session != record.session || std::cmp_not_equal(ending.session_call, record.sequence)) {
    return Mismatch("its ending has another place in a session than the record");
  }
  return std::nullopt;
}

}  // namespace plimsoll::records
