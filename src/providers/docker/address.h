#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "providers/docker/settings.h"

namespace plimsoll::docker {

// Most bytes of one of the docker client's files.
inline constexpr std::size_t kMaxClientFile = std::size_t{1} << 20;

// The content of a file of at most `most` bytes; nothing when there is no such file; Fault when it cannot be read.
using ReadFile = std::function<base::Result<std::optional<std::string>>(const std::string& path, std::size_t most)>;

// The absolute path of the engine's Unix socket, found where docker's own client finds it (providers-local.md 4,
// Locality): DOCKER_HOST; else the context named by DOCKER_CONTEXT; else `currentContext` of config.json; else
// /var/run/docker.sock. Nothing else of the client's files counts. Pure but for `read`, and to be called once: the
// answer is kept whatever changes later. Refuses kUnavailable, naming the variable or file, what stands there and what
// to do, when the address is that of a remote engine or cannot be made out.
base::Result<std::string> ResolveAddress(const Settings& settings, const ReadFile& read);

}  // namespace plimsoll::docker
