#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "providers/docker/address.h"

namespace plimsoll::docker {

// The control group of a container as this host sees it: what the container itself says of its limits and of the time
// it used is its own word under a runtime that has a kernel of its own. Both hierarchies are understood.
struct HostGroup {
  bool names_container = false;  // every group that was found is one of the container's, by its full id
  // As the files say; empty where they cannot be read.
  std::string pids_max;
  std::string memory_max;
  std::string cpu_max;  // v1: `<quota> <period>`, both in microseconds, `-1` for none; v2: as it is
  std::optional<std::uint64_t> cpu_used_us;
  std::optional<std::uint64_t> cpu_held_back;  // periods in which the limit stopped it
};

// Reads the groups of process `pid` of this host. All empty when there is none, or when this process sees other numbers
// or other groups than the engine does.
HostGroup ReadHostGroup(std::int64_t pid, std::string_view container_id, const ReadFile& read);

// How many processes of the container's group were killed for want of memory, as the kernel counts it. Nothing where
// the group of process `pid` is not the container's, or cannot be read.
std::optional<std::uint64_t> OutOfMemoryKills(std::int64_t pid, std::string_view container_id, const ReadFile& read);

// The folder of the group that holds `controller`, from the text of /proc/<pid>/cgroup; the v2 group where no v1 line
// names it. Nothing when there is none, or when the path leads out of the tree. `is_v2` says which it is.
struct GroupFolder {
  std::string path;
  bool is_v2 = false;
};
std::optional<GroupFolder> GroupFolderOf(std::string_view groups, std::string_view controller);

}  // namespace plimsoll::docker
