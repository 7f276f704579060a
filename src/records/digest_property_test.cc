// R69: no two different inputs share a digest, however like-shaped their fields are.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <utility>
#include <vector>

#include "records/record.h"

namespace plimsoll::records {
namespace {

// Pieces drawn from few short texts, names of fields and kinds among them: collisions, if any, hide where one
// field's bytes read like another field.
rc::Gen<std::string> Piece() {
  return rc::gen::element<std::string>("", "a", "b", "ab", "ba", "code", "kind", "exact", "steps", "javascript",
                                       std::string("\0", 1), std::string("\0\0\0\0\0\0\0\1a", 9));
}
rc::Gen<std::vector<std::string>> Pieces() {
  return rc::gen::resize(3, rc::gen::container<std::vector<std::string>>(Piece()));
}

std::vector<run::File> FilesOf(const std::vector<std::string>& paths, const std::vector<std::string>& contents) {
  std::vector<run::File> out;
  for (std::size_t i = 0; i < std::min(paths.size(), contents.size()); ++i) {
    out.push_back({paths[i], contents[i]});
  }
  return out;
}

std::vector<double> NumbersOf(std::size_t count) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(*rc::gen::element(0.0, -0.0, 1.0, 0.1));
  }
  return out;
}

std::vector<std::vector<double>> Rows() {
  std::vector<std::vector<double>> out;
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    out.push_back(NumbersOf(*rc::gen::inRange<std::size_t>(0, 3)));
  }
  return out;
}

run::Payload ArbitraryPayload() {
  switch (*rc::gen::inRange(0, 5)) {
    case 0: return run::JavaScript{*Piece(), *Piece()};
    case 1: return run::Project{FilesOf(*Pieces(), *Pieces()), *Pieces(), *Pieces(), *Piece()};
    case 2: return run::Module{*Piece(), Rows(), NumbersOf(1)[0], NumbersOf(1)[0]};
    case 3: return run::Cell{*Piece(), *Piece(), FilesOf(*Pieces(), *Pieces())};
    default: return {};
  }
}

run::Draft ArbitraryDraft() {
  run::Draft out;
  out.protocol = *rc::gen::element<std::uint32_t>(0, 1, 2, 4, 5);
  out.minimum_isolation = *Piece();
  out.timeout_ms = *rc::gen::element(0, 1, -1);
  if (out.protocol >= 2) {
    out.software_rule = {*Piece(), *Pieces()};
  }
  out.payload = ArbitraryPayload();
  return out;
}

run::JavaScriptResult ArbitraryOutput() {
  run::JavaScriptResult out;
  out.stdout_bytes = *Piece();
  out.stderr_bytes = *Piece();
  out.exit_code = *rc::gen::element(0, 1, -1);
  out.timed_out = *rc::gen::arbitrary<bool>();
  out.stdout_truncated = *rc::gen::arbitrary<bool>();
  out.stderr_truncated = *rc::gen::arbitrary<bool>();
  return out;
}

run::ProjectResult ArbitraryProjectResult() {
  run::ProjectResult out;
  out.outcome = static_cast<run::Outcome>(*rc::gen::inRange(0, 6));
  out.outcome_detail = *Piece();
  out.artifacts_truncated = *rc::gen::arbitrary<bool>();
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    const run::JavaScriptResult output = ArbitraryOutput();
    out.steps.push_back({*Piece(), output.stdout_bytes, output.stderr_bytes, output.exit_code, output.timed_out,
                         output.stdout_truncated, output.stderr_truncated, std::chrono::milliseconds(0)});
  }
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    out.artifacts.push_back({*Piece(), *Piece()});
  }
  return out;
}

run::ModuleResult ArbitraryModuleResult() {
  run::ModuleResult out;
  out.outcome = static_cast<run::Outcome>(*rc::gen::inRange(0, 6));
  out.outcome_detail = *Piece();
  out.width = *rc::gen::inRange(0, 3);
  out.stdout_bytes = *Piece();
  out.stderr_bytes = *Piece();
  for (const std::vector<double>& outputs : Rows()) {
    out.runs.push_back({*rc::gen::element(0, 1, -1), outputs});
  }
  return out;
}

run::Result ArbitraryResult() {
  switch (*rc::gen::inRange(0, 5)) {
    case 0: return ArbitraryOutput();
    case 1: return ArbitraryProjectResult();
    case 2: return ArbitraryModuleResult();
    case 3: return run::CellResult{ArbitraryOutput(), *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
    default: return {};
  }
}

// Every covered text of a record, for swapping.
std::vector<std::string*> TextsOf(Record& record) {
  return {&record.request_sha256,   &record.result_sha256, &record.unanswered, &record.provider,
          &record.isolation,        &record.environment,   &record.policy,     &record.software_identity,
          &record.software_rule_id, &record.instance,      &record.session,    &record.previous_sha256};
}

Record ArbitraryRecord() {
  Record out;
  out.version = 4;
  for (std::string* text : TextsOf(out)) {
    *text = *Piece();
  }
  out.started_unix_ms = *rc::gen::inRange(-1, 2);
  out.ended_unix_ms = *rc::gen::inRange(-1, 2);
  out.sequence = *rc::gen::inRange<std::uint64_t>(0, 3);
  return out;
}

// Equal in every covered field, by a text that spells out each field with its name: another encoding altogether.
std::string Spelt(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    out += std::to_string(static_cast<int>(c)) + ".";
  }
  return out + "'";
}
std::string Spelt(std::int64_t number) { return std::to_string(number); }
std::string Spelt(bool flag) { return flag ? "T" : "F"; }
std::string Spelt(double number) { return std::to_string(std::bit_cast<std::uint64_t>(number)); }
std::string Spelt(const run::File& file) { return "{" + Spelt(file.path) + "=" + Spelt(file.content) + "}"; }
std::string Spelt(const run::Artifact& artifact) {
  return "{" + Spelt(artifact.path) + "=" + Spelt(artifact.content) + "}";
}
std::string Spelt(const run::StepResult& step);
std::string Spelt(const run::ModuleRow& row);
template <typename T>
std::string Spelt(const std::vector<T>& items) {
  std::string out = "[";
  for (const T& item : items) {
    out += Spelt(item) + ";";
  }
  return out + "]";
}
template <typename... Parts>
std::string Join(const Parts&... parts) {
  return "(" + ((Spelt(parts) + ",") + ...) + ")";
}
std::string Spelt(const run::StepResult& step) {
  return Join(step.command, step.stdout_bytes, step.stderr_bytes, std::int64_t{step.exit_code}, step.timed_out,
              step.stdout_truncated, step.stderr_truncated);
}
std::string Spelt(const run::ModuleRow& row) { return Join(std::int64_t{row.status}, row.outputs); }

struct SpellPayload {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(const run::JavaScript& p) const { return "js" + Join(p.code, p.grant_profile); }
  std::string operator()(const run::Project& p) const {
    return "project" + Join(p.files, p.steps, p.artifacts, p.grant_profile);
  }
  std::string operator()(const run::Module& p) const { return "module" + Join(p.model, p.rows, p.end_time, p.step); }
  std::string operator()(const run::Cell& p) const { return "cell" + Join(p.language, p.code, p.files); }
};
std::string Spelt(const run::Draft& draft) {
  return Join(std::int64_t{draft.protocol}, draft.minimum_isolation, std::int64_t{draft.timeout_ms},
              draft.software_rule.mode, draft.software_rule.identities) +
         std::visit(SpellPayload{}, draft.payload);
}

struct SpellResult {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(const run::JavaScriptResult& r) const {
    return "js" + Join(r.stdout_bytes, r.stderr_bytes, std::int64_t{r.exit_code}, r.timed_out, r.stdout_truncated,
                       r.stderr_truncated);
  }
  std::string operator()(const run::CellResult& r) const {
    return "cell" + (*this)(r.output) + Join(r.interpreter_started, r.interpreter_ended);
  }
  std::string operator()(const run::ProjectResult& r) const {
    return "project" + Join(std::int64_t{static_cast<int>(r.outcome)}, r.outcome_detail, r.artifacts_truncated, r.steps,
                            r.artifacts);
  }
  std::string operator()(const run::ModuleResult& r) const {
    return "module" + Join(std::int64_t{static_cast<int>(r.outcome)}, r.outcome_detail, std::int64_t{r.width},
                           r.stdout_bytes, r.stderr_bytes, r.runs);
  }
};
std::string Spelt(const run::Result& result) { return std::visit(SpellResult{}, result); }

RC_GTEST_PROP(RequestDigest, R69_IsEqualExactlyForEqualRequests, ()) {
  const run::Draft a = ArbitraryDraft();
  const run::Draft b = ArbitraryDraft();
  RC_ASSERT((Spelt(a) == Spelt(b)) == (RequestDigest(a) == RequestDigest(b)));
}

RC_GTEST_PROP(RequestDigest, R69_ChangesWhenCodeAndGrantProfileAreSwapped, ()) {
  const std::string code = *Piece();
  const std::string profile = *Piece();
  run::Draft draft;
  draft.protocol = 5;
  draft.payload = run::JavaScript{code, profile};
  run::Draft swapped = draft;
  swapped.payload = run::JavaScript{profile, code};
  RC_ASSERT((code == profile) == (RequestDigest(draft) == RequestDigest(swapped)));
}

RC_GTEST_PROP(ResultDigest, R69_IsEqualExactlyForEqualResults, ()) {
  const run::Result a = ArbitraryResult();
  const run::Result b = ArbitraryResult();
  RC_ASSERT((Spelt(a) == Spelt(b)) == (ResultDigest(a) == ResultDigest(b)));
}

RC_GTEST_PROP(RecordDigest, R69_ChangesWhenTwoDifferentFieldsAreSwapped, ()) {
  Record record = ArbitraryRecord();
  const std::string before = RecordDigest(record);
  const std::vector<std::string*> texts = TextsOf(record);
  const auto i = *rc::gen::inRange<std::size_t>(0, texts.size());
  const auto j = *rc::gen::inRange<std::size_t>(0, texts.size());
  const bool same = *texts[i] == *texts[j];
  std::swap(*texts[i], *texts[j]);
  RC_ASSERT(same == (RecordDigest(record) == before));
}

// A field's name planted inside the contents on either side of the border it marks: without lengths both read alike.
RC_GTEST_PROP(RequestDigest, R69_ChangesWhenAPlantedFieldNameMovesTheBorder, ()) {
  const std::string a = *Piece();
  const std::string b = *Piece();
  const std::string c = *Piece();
  const std::string name = "grant_profile";
  run::Draft early;
  early.protocol = 5;
  early.payload = run::JavaScript{a, b + name + c};
  run::Draft late = early;
  late.payload = run::JavaScript{a + name + b, c};
  RC_ASSERT(RequestDigest(early) != RequestDigest(late));
}

RC_GTEST_PROP(RecordDigest, R69_ChangesWhenAPlantedFieldNameMovesTheBorder, ()) {
  const std::string a = *Piece();
  const std::string b = *Piece();
  const std::string c = *Piece();
  const Record early{.version = 4, .provider = a, .isolation = b + "isolation" + c};
  const Record late{.version = 4, .provider = a + "isolation" + b, .isolation = c};
  RC_ASSERT(RecordDigest(early) != RecordDigest(late));
}

RC_GTEST_PROP(Digests, R69_NeverMeetAcrossDomains, ()) {
  const std::string request = RequestDigest(ArbitraryDraft());
  const std::string result = ResultDigest(ArbitraryResult());
  const std::string record = RecordDigest(ArbitraryRecord());
  RC_ASSERT(request != result);
  RC_ASSERT(request != record);
  RC_ASSERT(result != record);
}

}  // namespace
}  // namespace plimsoll::records
