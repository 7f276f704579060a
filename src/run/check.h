#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "run/request.h"

// The checks of one request, each for one part of it. All refuse with kInvalidRequest; a message names the field, the
// value's size and the limit, and never repeats content.
namespace plimsoll::run {

base::Status CheckSoftwareRule(const SoftwareRuleDraft& rule);
base::Status CheckCode(std::string_view field, std::string_view code);
// `field` names the path in messages: `project.files[3].path`.
base::Status CheckPath(std::string_view field, std::string_view path);
base::Status CheckFiles(std::string_view field, std::span<const File> files);
base::Status CheckArtifacts(std::span<const std::string> artifacts);
base::Status CheckProject(const Project& project);
base::Status CheckModule(const Module& module);
base::Status CheckLanguage(std::string_view field, std::string_view language);
base::Status CheckCell(const Cell& cell);
base::Status CheckGrantProfile(std::string_view field, std::string_view profile);

}  // namespace plimsoll::run
