#include "clients/cpp/convert.h"

#include <utility>
#include <vector>

#include "records/annex_fields.h"
#include "records/restate.h"
#include "run/restate.h"

namespace plimsoll::client {
namespace {

std::vector<run::File> FilesOf(std::vector<File> files) {
  std::vector<run::File> out;
  out.reserve(files.size());
  for (File& file : files) {
    out.push_back({std::move(file.path), std::move(file.content)});
  }
  return out;
}

Outcome Public(run::Outcome outcome) {
  switch (outcome) {
    case run::Outcome::kUnspecified: return Outcome::kUnspecified;
    case run::Outcome::kCompleted: return Outcome::kCompleted;
    case run::Outcome::kSetupFailed: return Outcome::kSetupFailed;
    case run::Outcome::kTimedOut: return Outcome::kTimedOut;
    case run::Outcome::kProtocolError: return Outcome::kProtocolError;
    case run::Outcome::kRunnerFailed: return Outcome::kRunnerFailed;
  }
  return Outcome::kUnspecified;  // unreachable: the switch is complete and -Wswitch keeps it so
}

// Turns each kind of result into the public one, with the evidence in it.
struct Convert {
  Evidence& evidence;

  std::optional<AnyResult> operator()(std::monostate) const { return std::nullopt; }

  std::optional<AnyResult> operator()(run::JavaScriptResult&& result) const { return Output(std::move(result)); }

  std::optional<AnyResult> operator()(run::CellResult&& result) const {
    return CellResult{.output = Output(std::move(result.output)),
                      .interpreter_started = result.interpreter_started,
                      .interpreter_ended = result.interpreter_ended};
  }

  std::optional<AnyResult> operator()(run::ProjectResult&& result) const {
    ProjectResult out{.evidence = std::move(evidence),
                      .outcome = Public(result.outcome),
                      .outcome_detail = std::move(result.outcome_detail),
                      .artifacts_truncated = result.artifacts_truncated};
    run::MoveStepsAndArtifacts(result, out);
    return out;
  }

  std::optional<AnyResult> operator()(run::ModuleResult&& result) const {
    ModuleResult out{.evidence = std::move(evidence),
                     .outcome = Public(result.outcome),
                     .outcome_detail = std::move(result.outcome_detail),
                     .width = result.width,
                     .stdout_bytes = std::move(result.stdout_bytes),
                     .stderr_bytes = std::move(result.stderr_bytes)};
    for (run::ModuleRow& row : result.runs) {
      out.runs.push_back({.status = row.status, .outputs = std::move(row.outputs)});
    }
    return out;
  }

  JavaScriptResult Output(run::JavaScriptResult&& result) const {
    JavaScriptResult out{.evidence = std::move(evidence)};
    run::MoveOutput(result, out);
    return out;
  }
};

// Moves each field of a part of an annex into the part of the other kind.
struct MoveField {
  template <typename Member>
  void operator()(std::string_view, Member& from, Member& to) const {
    to = std::move(from);
  }
  void operator()(std::string_view, std::vector<records::BrokerCall>& from, std::vector<BrokerCall>& to) const {
    for (records::BrokerCall& call : from) {
      records::BrokerCallFields::Each(*this, call, to.emplace_back());
    }
  }
};

template <typename Fields, typename From, typename To>
void MovePart(std::optional<From>& from, std::optional<To>& to) {
  if (from) {
    Fields::Each(MoveField{}, *from, to.emplace());
    to->sha256 = std::move(from->sha256);
  }
}

}  // namespace

Annex PublicAnnex(records::Annex annex) {
  Annex out;
  MovePart<records::EndingFields>(annex.ending, out.ending);
  MovePart<records::ResourceFields>(annex.resources, out.resources);
  MovePart<records::LedgerFields>(annex.ledger, out.ledger);
  out.probes_sha256 = std::move(annex.probes_sha256);
  for (records::StreamSummary& stream : annex.streams) {
    records::StreamFields::Each(MoveField{}, stream, out.streams.emplace_back());
  }
  out.annex_sha256 = std::move(annex.annex_sha256);
  MovePart<records::CallFields>(annex.call, out.call);
  MovePart<records::OptionFields>(annex.options, out.options);
  return out;
}

Record PublicRecord(records::Record record) {
  Record out;
  records::MoveRecord(record, out);
  out.session = std::move(record.session);
  out.sequence = record.sequence;
  out.previous_sha256 = std::move(record.previous_sha256);
  out.unanswered = std::move(record.unanswered);
  return out;
}

run::Payload PayloadOf(Project project, std::string grant_profile) {
  return run::Project{FilesOf(std::move(project.files)), std::move(project.steps), std::move(project.artifacts),
                      std::move(grant_profile)};
}

run::Payload PayloadOf(Cell cell) {
  return run::Cell{std::move(cell.language), std::move(cell.code), FilesOf(std::move(cell.files))};
}

std::optional<AnyResult> TakeResult(RunAnswer&& answer, ShowRecord show) {
  Evidence evidence{.provider = std::move(answer.sandbox),
                    .isolation = std::move(answer.isolation),
                    .environment = std::move(answer.environment),
                    .software_identity = std::move(answer.software_identity),
                    .instance = std::move(answer.instance),
                    .duration = answer.duration};
  if (show == ShowRecord::kChecked && answer.record) {
    evidence.record = PublicRecord(*std::move(answer.record));
  }
  if (answer.annex) {
    evidence.annex = PublicAnnex(*std::move(answer.annex));
  }
  return std::visit(Convert{evidence}, std::move(answer.result));
}

}  // namespace plimsoll::client
