#include "tools/plimsoll/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/utf8.h"

namespace plimsoll::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownDigits = 12;
constexpr std::size_t kShownSkipped = 5;
constexpr std::string_view kCompleted = "completed";
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

std::string Ending(const Output& output, Colour colour) {
  if (output.timed_out) {
    return Red(colour, "timed out");
  }
  const std::string text = "exit " + std::to_string(output.exit_code);
  return output.exit_code == 0 ? text : Red(colour, text);
}

std::string Cuts(const Output& output) {
  std::string out;
  if (output.stdout_truncated) {
    out += ", stdout cut";
  }
  if (output.stderr_truncated) {
    out += ", stderr cut";
  }
  return out;
}

std::string WallOf(const Where& where, Colour colour) {
  // A process boundary is the weakest wall there is, and is said in another colour than a real one.
  const std::string tier = EscapeOnOneLine(where.isolation);
  const bool weak = where.isolation == "process" || where.isolation == "none";
  return EscapeOnOneLine(where.provider) + ", " + (weak ? Yellow(colour, tier) : Green(colour, tier));
}

std::string TimeAndRecord(const Where& where) {
  return std::to_string(where.duration.count()) + " ms, record " +
         where.record.record_sha256.substr(0, kShownDigits).append(kEllipsis);
}

std::string Summary(const Ran& ran, Colour colour) {
  return "plimsoll: " + WallOf(ran.where, colour) + ", " + Ending(ran.output, colour) + Cuts(ran.output) + ", " +
         TimeAndRecord(ran.where);
}

std::string Summary(const ProjectRan& project, Colour colour) {
  const bool completed = project.outcome == kCompleted;
  const bool failed = !project.steps.empty() && project.steps.back().output.exit_code != 0;
  std::string out = "plimsoll: " + WallOf(project.where, colour) + ", " +
                    (completed ? project.outcome : Red(colour, EscapeOnOneLine(project.outcome)));
  if (!project.outcome_detail.empty()) {
    out += " (" + EscapeOnOneLine(project.outcome_detail) + ")";
  }
  const std::size_t steps = project.steps.size();
  out += ", " + std::to_string(steps) + (steps == 1 ? " step" : " steps");
  if (failed) {
    out += ", " + Ending(project.steps.back().output, colour);
  }
  return out + (project.artifacts_truncated ? ", artifacts cut" : "") + ", " + TimeAndRecord(project.where);
}

std::string Summary(const NothingRan& refusal, Colour colour) {
  std::string out = "plimsoll: " + Bold(colour, "nothing ran") + " (" + EscapeOnOneLine(refusal.reason) +
                    "): " + EscapeOnOneLine(refusal.message);
  if (refusal.retry_after) {
    out += "; ask again in " + std::to_string(refusal.retry_after->count()) + " s";
  }
  return out;
}

std::string Summary(const MayHaveRun& unknown, Colour colour) {
  return "plimsoll: " + Red(colour, "it may have run") + ": " + EscapeOnOneLine(unknown.message);
}

int ExitCodeOfOutput(const Output& output) {
  if (output.timed_out) {
    return kExitDeadline;
  }
  return output.exit_code >= 0 && output.exit_code <= 255 ? output.exit_code : 1;
}

int ExitCodeOfProject(const ProjectRan& project) {
  if (project.outcome == kCompleted) {
    return project.steps.empty() ? 0 : ExitCodeOfOutput(project.steps.back().output);
  }
  if (project.outcome == "timed_out") {
    return kExitDeadline;
  }
  return project.outcome == "setup_failed" ? kExitNothingRan : kExitMayHaveRun;
}

std::string Padded(const std::string& bytes) { return base::Base64Encode(bytes, base::Padding::kPadded); }

Json RecordOf(const RecordLine& record) {
  return {{"version", record.version},
          {"request_sha256", record.request_sha256},
          {"result_sha256", record.result_sha256},
          {"policy", record.policy},
          {"software_rule_id", record.software_rule_id},
          {"started_unix_ms", record.started_unix_ms},
          {"ended_unix_ms", record.ended_unix_ms},
          {"record_sha256", record.record_sha256}};
}

void AddOutput(Json& out, const Output& output) {
  out["exit_code"] = output.exit_code;
  out["timed_out"] = output.timed_out;
  out["stdout"] = base::RepairUtf8(output.stdout_bytes);
  out["stdout_base64"] = Padded(output.stdout_bytes);
  out["stdout_truncated"] = output.stdout_truncated;
  out["stderr"] = base::RepairUtf8(output.stderr_bytes);
  out["stderr_base64"] = Padded(output.stderr_bytes);
  out["stderr_truncated"] = output.stderr_truncated;
}

void AddWhere(Json& out, const Where& where) {
  out["provider"] = where.provider;
  out["isolation"] = where.isolation;
  out["environment"] = where.environment;
  out["software_identity"] = where.software_identity;
  out["instance"] = where.instance;
  out["duration_ms"] = where.duration.count();
  out["record"] = RecordOf(where.record);
}

Json ToJson(const Ran& ran) {
  Json out = {{"ran", true}};
  AddOutput(out, ran.output);
  AddWhere(out, ran.where);
  return out;
}

Json StepJson(const Step& step) {
  Json out = {{"command", base::RepairUtf8(step.command)}};
  AddOutput(out, step.output);
  out["duration_ms"] = step.duration.count();
  return out;
}

Json ArtifactJson(const Artifact& artifact) {
  Json out = {{"path", base::RepairUtf8(artifact.path)},
              {"size", artifact.content.size()},
              {"content_base64", Padded(artifact.content)},
              {"written", nullptr}};
  if (!artifact.written.empty()) {
    out["written"] = base::RepairUtf8(artifact.written);
  }
  return out;
}

Json ToJson(const ProjectRan& project) {
  Json out = {{"ran", true},
              {"outcome", project.outcome},
              {"outcome_detail", base::RepairUtf8(project.outcome_detail)},
              {"exit_code", ExitCodeOfProject(project)},
              {"steps", Json::array()},
              {"artifacts", Json::array()},
              {"artifacts_truncated", project.artifacts_truncated},
              {"skipped", Json::array()}};
  for (const Step& step : project.steps) {
    out["steps"].push_back(StepJson(step));
  }
  for (const Artifact& artifact : project.artifacts) {
    out["artifacts"].push_back(ArtifactJson(artifact));
  }
  for (const std::string& path : project.skipped) {
    out["skipped"].push_back(base::RepairUtf8(path));
  }
  AddWhere(out, project.where);
  return out;
}

Json ToJson(const NothingRan& refusal) {
  Json out = {{"ran", false},
              {"reason", refusal.reason},
              {"error", refusal.error},
              {"code", refusal.code},
              {"message", base::RepairUtf8(refusal.message)},
              {"retry_after_s", nullptr}};
  if (refusal.retry_after) {
    out["retry_after_s"] = refusal.retry_after->count();
  }
  return out;
}

Json ToJson(const MayHaveRun& unknown) {
  return {{"ran", "unknown"},
          {"error", unknown.error},
          {"code", unknown.code},
          {"message", base::RepairUtf8(unknown.message)}};
}

struct ExitCode {
  int operator()(const Ran& ran) const { return ExitCodeOfOutput(ran.output); }
  int operator()(const ProjectRan& project) const { return ExitCodeOfProject(project); }
  int operator()(const NothingRan&) const { return kExitNothingRan; }
  int operator()(const MayHaveRun&) const { return kExitMayHaveRun; }
};

std::string StepName(std::size_t number) { return "plimsoll: step " + std::to_string(number) + ": "; }

}  // namespace

int ExitCodeOf(const Outcome& outcome) { return std::visit(ExitCode{}, outcome); }

std::string SummaryOf(const Outcome& outcome, Colour colour) {
  return std::visit([&](const auto& kind) { return Summary(kind, colour); }, outcome);
}

std::string JsonOf(const Outcome& outcome) {
  return std::visit([](const auto& kind) { return ToJson(kind).dump(-1, ' ', true); }, outcome);
}

std::string StepHeadOf(const Step& step, std::size_t number, Colour colour) {
  return StepName(number) + Bold(colour, EscapeOnOneLine(step.command));
}

std::string StepTailOf(const Step& step, std::size_t number, Colour colour) {
  return StepName(number) + Ending(step.output, colour) + Cuts(step.output) + ", " +
         std::to_string(step.duration.count()) + " ms";
}

std::vector<std::string> ArtifactLinesOf(const ProjectRan& project, const std::vector<std::string>& asked) {
  std::vector<std::string> lines;
  for (const Artifact& artifact : project.artifacts) {
    const std::string size = std::to_string(artifact.content.size()) + " bytes";
    lines.push_back("plimsoll: artifact " + EscapeOnOneLine(artifact.path) + ", " + size +
                    (artifact.written.empty() ? ", not written" : ", written to " + EscapeOnOneLine(artifact.written)));
  }
  for (const std::string& path : asked) {
    if (std::ranges::find(project.artifacts, path, &Artifact::path) == project.artifacts.end()) {
      lines.push_back("plimsoll: artifact " + EscapeOnOneLine(path) + " is not there");
    }
  }
  return lines;
}

std::vector<std::string> SkippedLinesOf(const std::vector<std::string>& skipped) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(skipped.size(), kShownSkipped); ++i) {
    lines.push_back("plimsoll: not sent: " + EscapeOnOneLine(skipped[i]));
  }
  if (skipped.size() > kShownSkipped) {
    lines.push_back("plimsoll: not sent: " + std::to_string(skipped.size() - kShownSkipped) + " more");
  }
  return lines;
}

}  // namespace plimsoll::tool
