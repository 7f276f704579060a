#pragma once

#include <optional>
#include <string>

#include "providers/docker/engine/engine.h"
#include "run/session_end.h"

namespace plimsoll::docker {

// What an engine says of the container of a kept sandbox, judged. Pure.

// What is wrong with a container that was just made, for the log; nothing when it may be used (sessions.md 11.1).
// `image` is the id it was to be made from.
std::optional<std::string> FlawOf(const ContainerRecord& made, const std::string& image);

// How a sandbox has ended by what is read back of its container, held against what was read when it was opened
// (sessions.md 11.2); nothing when it is as it was. It is not one that we have paused.
std::optional<run::SessionEnded> EndOf(const ContainerRecord& now, const ContainerRecord& opened);

// The same of its state alone.
std::optional<run::SessionEnded> EndOf(const ContainerState& now);

// The ends that need no answer of an engine to tell.
run::SessionEnded GoneBetweenCalls();
run::SessionEnded GoneDuringCall();

// Which part differs, for the log: `image`, `user`, `settings.Memory`, `mounts`, `networks`; empty when none does.
std::string DifferenceOf(const ContainerRecord& now, const ContainerRecord& opened);

}  // namespace plimsoll::docker
