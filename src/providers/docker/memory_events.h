#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::docker {

// How many processes of the control group of process `pid`, a number of this host, were killed for want of memory; as
// the kernel counts it. Empty when the host does not show it. Reads three small files.
std::optional<std::uint64_t> OutOfMemoryKills(std::int64_t pid);

// The parts of it that are pure. `cgroup` is the text of /proc/PID/cgroup; the file that holds the counter, for the
// first version's memory controller, else for the second version.
std::optional<std::string> MemoryEventsFile(std::string_view cgroup);
// The number after `oom_kill` in memory.oom_control or memory.events.
std::optional<std::uint64_t> OomKillsIn(std::string_view events);

}  // namespace plimsoll::docker
