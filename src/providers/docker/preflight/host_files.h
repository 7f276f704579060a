#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <variant>

#include "os/host_file.h"

namespace plimsoll::docker {

// How the preflight reads files of the host: os::ReadRegularFile, or a test's own.
using ReadHostFile =
    std::function<std::variant<std::string, os::FileProblem>(const std::string& path, std::size_t limit)>;
using LookAtHostFile = std::function<std::variant<os::FileStanding, os::FileProblem>(const std::string& path)>;

}  // namespace plimsoll::docker
