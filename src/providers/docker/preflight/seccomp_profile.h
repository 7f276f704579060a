#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "providers/docker/address.h"

namespace plimsoll::docker {

// The filter to state for containers, from SANDBOX_DOCKER_SECCOMP: empty for empty, `unconfined` for itself, else the
// content of the file at that path, of at most 1 MiB and one JSON object. Refuses kNotProven.
base::Result<std::string> LoadSeccomp(const std::string& setting, const ReadFile& read);

// Whether the text is exactly one JSON object. Builds nothing.
bool IsJsonObject(std::string_view text);

}  // namespace plimsoll::docker
