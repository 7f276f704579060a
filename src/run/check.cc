#include "run/check.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/path_text.h"
#include "run/limits.h"

namespace plimsoll::run {
namespace {

using base::Ok;
using base::Refusal;
using base::Status;

constexpr std::string_view kAlnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

bool IsAlnum(char c) { return kAlnum.find(c) != std::string_view::npos; }

bool IsMadeOf(std::string_view text, std::string_view extra) {
  return std::ranges::all_of(text, [&](char c) { return IsAlnum(c) || extra.find(c) != std::string_view::npos; });
}

Refusal Invalid(std::string_view field, std::string_view problem) {
  return Refusal{base::Rule::kInvalidRequest, std::string(field).append(": ").append(problem)};
}

Refusal OverLimit(std::string_view field, std::size_t size, std::string_view unit, std::size_t limit) {
  return Invalid(field, std::to_string(size).append(unit).append(", limit ").append(std::to_string(limit)));
}

std::string At(std::string_view field, std::size_t index, std::string_view member = "") {
  return std::string(field).append("[").append(std::to_string(index)).append("]").append(member);
}

Status CheckSteps(std::span<const std::string> steps) {
  if (steps.empty()) {
    return Invalid("project.steps", "none given, at least 1 needed");
  }
  if (steps.size() > kMaxSteps) {
    return OverLimit("project.steps", steps.size(), " steps", kMaxSteps);
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].size() > kMaxStepBytes) {
      return OverLimit(At("project.steps", i), steps[i].size(), " bytes", kMaxStepBytes);
    }
    if (steps[i].find('\0') != std::string::npos) {
      return Invalid(At("project.steps", i), "holds a NUL byte");
    }
  }
  return Ok();
}

Status CheckRows(const std::vector<std::vector<double>>& rows) {
  if (rows.empty()) {
    return Invalid("module.rows", "none given, at least 1 needed");
  }
  if (rows.size() > kMaxRows) {
    return OverLimit("module.rows", rows.size(), " rows", kMaxRows);
  }
  const std::size_t width = rows.front().size();
  if (width == 0 || width > kMaxRowWidth) {
    return OverLimit("module.rows[0]", width, " values, at least 1 needed", kMaxRowWidth);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != width) {
      return Invalid(At("module.rows", i),
                     std::to_string(rows[i].size()) + " values, the first row has " + std::to_string(width));
    }
    if (!std::ranges::all_of(rows[i], [](double v) { return std::isfinite(v); })) {
      return Invalid(At("module.rows", i), "holds a value that is not finite");
    }
  }
  return Ok();
}

bool IsFiniteAndPositive(double value) { return std::isfinite(value) && value > 0; }

Status CheckSoftwareIdentity(std::string_view identity, std::size_t i) {
  if (identity.empty() || identity.size() > kMaxSoftwareIdentityBytes) {
    return OverLimit(At("software_rule.identities", i), identity.size(), " bytes, at least 1 needed",
                     kMaxSoftwareIdentityBytes);
  }
  if (!IsMadeOf(identity, "._:/@+-")) {
    return Invalid(At("software_rule.identities", i), "only letters, digits and ._:/@+- are allowed");
  }
  return Ok();
}

}  // namespace

Status CheckSoftwareRule(const SoftwareRuleDraft& rule) {
  constexpr std::string_view kField = "software_rule";
  const std::size_t count = rule.identities.size();
  if (rule.mode.empty() && count == 0) {
    return Ok();
  }
  if (rule.mode != "exact" && rule.mode != "approved") {
    return Invalid("software_rule.mode", "must be exact or approved, or the rule be absent");
  }
  if (rule.mode == "exact" && count != 1) {
    return Invalid(kField, "mode exact takes 1 identity, given " + std::to_string(count));
  }
  if (count == 0 || count > kMaxSoftwareIdentities) {
    return OverLimit(kField, count, " identities, at least 1 needed", kMaxSoftwareIdentities);
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < count; ++i) {
    if (auto status = CheckSoftwareIdentity(rule.identities[i], i); !status) {
      return status;
    }
    if (!seen.insert(rule.identities[i]).second) {
      return Invalid(At("software_rule.identities", i), "stands in the rule twice");
    }
  }
  return Ok();
}

Status CheckCode(std::string_view field, std::string_view code) {
  if (code.empty()) {
    return Invalid(field, "is empty");
  }
  if (code.size() > kMaxCodeBytes) {
    return OverLimit(field, code.size(), " bytes", kMaxCodeBytes);
  }
  if (code.find('\0') != std::string_view::npos) {
    return Invalid(field, "holds a NUL byte");
  }
  return Ok();
}

Status CheckPath(std::string_view field, std::string_view path) {
  if (path.empty() || path.size() > kMaxPathBytes) {
    return OverLimit(field, path.size(), " bytes, at least 1 needed", kMaxPathBytes);
  }
  if (path.find('\\') != std::string_view::npos) {
    return Invalid(field, "holds a backslash");
  }
  if (base::HasControlCharacter(path)) {
    return Invalid(field, "holds a control character");
  }
  if (base::HasOddSegment(path)) {
    return Invalid(field, "must be relative, without an empty, . or .. segment and without a slash at the end");
  }
  return Ok();
}

Status CheckFiles(std::string_view field, std::span<const File> files) {
  if (files.size() > kMaxFiles) {
    return OverLimit(field, files.size(), " files", kMaxFiles);
  }
  std::size_t total = 0;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (Status path = CheckPath(At(field, i, ".path"), files[i].path); !path) {
      return path;
    }
    if (!seen.insert(files[i].path).second) {
      return Invalid(At(field, i, ".path"), "stands in the request twice");
    }
    total += files[i].content.size();
    if (total > kMaxFileBytesTogether) {
      return OverLimit(field, total, " bytes together up to file " + std::to_string(i), kMaxFileBytesTogether);
    }
  }
  return Ok();
}

Status CheckArtifacts(std::span<const std::string> artifacts) {
  if (artifacts.size() > kMaxArtifacts) {
    return OverLimit("project.artifacts", artifacts.size(), " paths", kMaxArtifacts);
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < artifacts.size(); ++i) {
    if (Status path = CheckPath(At("project.artifacts", i), artifacts[i]); !path) {
      return path;
    }
    if (!seen.insert(artifacts[i]).second) {
      return Invalid(At("project.artifacts", i), "stands in the request twice");
    }
  }
  return Ok();
}

Status CheckProject(const Project& project) {
  if (Status steps = CheckSteps(project.steps); !steps) {
    return steps;
  }
  if (Status files = CheckFiles("project.files", project.files); !files) {
    return files;
  }
  return CheckArtifacts(project.artifacts);
}

Status CheckModule(const Module& module) {
  const std::string& model = module.model;
  if (model.empty() || model.size() > kMaxModelBytes) {
    return OverLimit("module.model", model.size(), " bytes, at least 1 needed", kMaxModelBytes);
  }
  if (!IsAlnum(model.front()) || !IsMadeOf(model, "._-")) {
    return Invalid("module.model", "must start with a letter or digit and hold only letters, digits and ._-");
  }
  if (Status rows = CheckRows(module.rows); !rows) {
    return rows;
  }
  if (!IsFiniteAndPositive(module.end_time)) {
    return Invalid("module.end_time", "must be finite and above 0");
  }
  if (!IsFiniteAndPositive(module.step)) {
    return Invalid("module.step", "must be finite and above 0");
  }
  const double steps = module.end_time / module.step;
  if (!(steps <= kMaxModuleSteps)) {
    return Invalid("module.end_time", "divided by module.step is more than 1000000");
  }
  const double bound = 20 + static_cast<double>(module.rows.size()) * (4 + 8 * (std::floor(steps) + 2));
  if (!(bound <= kMaxModuleResultBytes)) {
    return Invalid("module.rows", "the result could take more than 8388608 bytes");
  }
  return Ok();
}

Status CheckLanguage(std::string_view field, std::string_view language) {
  if (language != "javascript" && language != "python") {
    return Invalid(field, "must be javascript or python");
  }
  return Ok();
}

Status CheckCell(const Cell& cell) {
  if (Status language = CheckLanguage("cell.language", cell.language); !language) {
    return language;
  }
  if (Status code = CheckCode("cell.code", cell.code); !code) {
    return code;
  }
  return CheckFiles("cell.files", cell.files);
}

Status CheckGrantProfile(std::string_view field, std::string_view profile) {
  if (profile.size() > kMaxGrantProfileBytes) {
    return OverLimit(field, profile.size(), " bytes", kMaxGrantProfileBytes);
  }
  return Ok();
}

}  // namespace plimsoll::run
