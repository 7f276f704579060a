#include "providers/docker/host_group.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>
#include <vector>

namespace plimsoll::docker {
namespace {

constexpr std::string_view kTree = "/sys/fs/cgroup";
constexpr std::size_t kMaxText = std::size_t{64} * 1024;

std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// `/a/b`, leading nowhere else.
bool IsPlainPath(std::string_view path) {
  return path.starts_with('/') && path.size() <= 1024 &&
         ("/" + std::string(path) + "/").find("/../") == std::string::npos;
}

// A line is `<number>:<controllers>:<path>`; the path may hold colons.
struct Line {
  std::string_view controllers;
  std::string_view path;
};
std::optional<Line> LineOf(std::string_view text) {
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
  if (second == std::string_view::npos || !IsPlainPath(text.substr(second + 1))) {
    return std::nullopt;
  }
  return Line{.controllers = text.substr(first + 1, second - first - 1), .path = text.substr(second + 1)};
}

// Nothing for a file that is not there or cannot be read.
std::optional<std::string> ContentOf(const std::string& path, const ReadFile& read) {
  auto content = read(path, kMaxText);
  return content ? std::move(content).value() : std::nullopt;
}

std::string ValueIn(const std::string& path, const ReadFile& read) {
  const auto content = ContentOf(path, read);
  return content ? content->substr(0, content->find('\n')) : std::string();
}

std::optional<std::uint64_t> NumberOf(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// The number after `<name> ` in a file of such lines.
std::optional<std::uint64_t> NamedNumber(const std::string& path, std::string_view name, const ReadFile& read) {
  if (const auto content = ContentOf(path, read)) {
    for (const std::string_view line : Split(*content, '\n')) {
      if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ' ') {
        return NumberOf(line.substr(name.size() + 1));
      }
    }
  }
  return std::nullopt;
}

void ReadCpu(const GroupFolder& cpu, const std::optional<GroupFolder>& accounts, const ReadFile& read,
             HostGroup& group) {
  group.cpu_held_back = NamedNumber(cpu.path + "/cpu.stat", "nr_throttled", read);
  if (cpu.is_v2) {
    group.cpu_max = ValueIn(cpu.path + "/cpu.max", read);
    group.cpu_used_us = NamedNumber(cpu.path + "/cpu.stat", "usage_usec", read);
    return;
  }
  const std::string quota = ValueIn(cpu.path + "/cpu.cfs_quota_us", read);
  const std::string period = ValueIn(cpu.path + "/cpu.cfs_period_us", read);
  group.cpu_max = quota.empty() || period.empty() ? "" : quota + " " + period;
  if (accounts) {
    if (const auto nanoseconds = NumberOf(ValueIn(accounts->path + "/cpuacct.usage", read))) {
      group.cpu_used_us = *nanoseconds / 1000;
    }
  }
}

// The text of /proc/<pid>/cgroup.
std::optional<std::string> GroupsOf(std::int64_t pid, const ReadFile& read) {
  return pid > 0 ? ContentOf("/proc/" + std::to_string(pid) + "/cgroup", read) : std::nullopt;
}

// An empty id is part of every path.
bool Names(const GroupFolder& folder, std::string_view container_id) {
  return !container_id.empty() && folder.path.find(container_id) != std::string::npos;
}

}  // namespace

std::optional<GroupFolder> GroupFolderOf(std::string_view groups, std::string_view controller) {
  std::optional<GroupFolder> unified;
  for (const std::string_view text : Split(groups, '\n')) {
    const auto line = LineOf(text);
    if (!line) {
      continue;
    }
    const std::vector<std::string_view> controllers = Split(line->controllers, ',');
    if (std::find(controllers.begin(), controllers.end(), controller) != controllers.end()) {
      // Controllers that are mounted together have one folder, and a link named after each.
      return GroupFolder{.path = std::string(kTree) + "/" + std::string(controller) + std::string(line->path),
                         .is_v2 = false};
    }
    if (line->controllers.empty()) {
      unified = GroupFolder{.path = std::string(kTree) + std::string(line->path), .is_v2 = true};
    }
  }
  return unified;
}

HostGroup ReadHostGroup(std::int64_t pid, std::string_view container_id, const ReadFile& read) {
  HostGroup group;
  const auto groups = GroupsOf(pid, read);
  if (!groups) {
    return group;
  }
  const auto pids = GroupFolderOf(*groups, "pids");
  const auto memory = GroupFolderOf(*groups, "memory");
  const auto cpu = GroupFolderOf(*groups, "cpu");
  if (!pids || !memory || !cpu) {
    return group;
  }
  group.names_container = Names(*pids, container_id) && Names(*memory, container_id) && Names(*cpu, container_id);
  group.pids_max = ValueIn(pids->path + "/pids.max", read);
  group.memory_max = ValueIn(memory->path + (memory->is_v2 ? "/memory.max" : "/memory.limit_in_bytes"), read);
  ReadCpu(*cpu, GroupFolderOf(*groups, "cpuacct"), read, group);
  return group;
}

std::optional<std::uint64_t> OutOfMemoryKills(std::int64_t pid, std::string_view container_id, const ReadFile& read) {
  const auto groups = GroupsOf(pid, read);
  const auto memory = groups ? GroupFolderOf(*groups, "memory") : std::nullopt;
  if (!memory || !Names(*memory, container_id)) {
    return std::nullopt;
  }
  return NamedNumber(memory->path + (memory->is_v2 ? "/memory.events" : "/memory.oom_control"), "oom_kill", read);
}

}  // namespace plimsoll::docker
