#include "records/canonical.h"
#include "records/record.h"

namespace plimsoll::records {
namespace {

// Protocol 1 knew no software rule; its domain still names the requests of old evidence.
constexpr std::uint32_t kFirstWithSoftwareRule = 2;

void AddFiles(Canonical& out, const std::vector<run::File>& files) {
  out.Count("files", files.size());
  for (const run::File& file : files) {
    out.Bytes("file_path", file.path);
    out.Bytes("file_content", file.content);
  }
}

// Writes the kind and its fields, in the order of the table in records.md 2.
class AddPayload {
 public:
  explicit AddPayload(Canonical& out) : out_(out) {}

  void operator()(std::monostate) { out_.Bytes("kind", ""); }

  void operator()(const run::JavaScript& javascript) {
    out_.Bytes("kind", "javascript");
    out_.Bytes("code", javascript.code);
    out_.Bytes("grant_profile", javascript.grant_profile);
  }

  void operator()(const run::Project& project) {
    out_.Bytes("kind", "project");
    out_.Bytes("grant_profile", project.grant_profile);
    AddFiles(out_, project.files);
    out_.Count("steps", project.steps.size());
    for (const std::string& step : project.steps) {
      out_.Bytes("step_command", step);
    }
    out_.Count("artifacts", project.artifacts.size());
    for (const std::string& path : project.artifacts) {
      out_.Bytes("artifact_path", path);
    }
  }

  void operator()(const run::Module& module) {
    out_.Bytes("kind", "module");
    out_.Bytes("model", module.model);
    out_.Floats("end_time", std::span(&module.end_time, 1));
    out_.Floats("step", std::span(&module.step, 1));
    out_.Count("rows", module.rows.size());
    for (const std::vector<double>& row : module.rows) {
      out_.Floats("row_values", row);
    }
  }

  void operator()(const run::Cell& cell) {
    out_.Bytes("kind", "cell");
    out_.Bytes("language", cell.language);
    out_.Bytes("code", cell.code);
    AddFiles(out_, cell.files);
  }

 private:
  Canonical& out_;
};

}  // namespace

std::string RequestDigest(const run::Draft& request) {
  const bool with_rule = request.protocol >= kFirstWithSoftwareRule;
  Canonical out(with_rule ? "plimsoll.run-request.v2" : "plimsoll.run-request.v1");
  out.Integer("protocol", request.protocol);
  out.Bytes("minimum_isolation", request.minimum_isolation);
  out.Integer("timeout_ms", request.timeout_ms);
  if (with_rule) {
    out.Bytes("software_mode", request.software_rule.mode);
    out.Count("software_identities", request.software_rule.identities.size());
    for (const std::string& identity : request.software_rule.identities) {
      out.Bytes("software_identity", identity);
    }
  }
  std::visit(AddPayload(out), request.payload);
  return out.Finish();
}

}  // namespace plimsoll::records
