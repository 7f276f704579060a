#include "providers/docker/memory_events.h"

#include <charconv>
#include <utility>

#include "os/read_file.h"

namespace plimsoll::docker {
namespace {

constexpr std::string_view kRoot = "/sys/fs/cgroup";
constexpr std::size_t kMaxText = 16'384;

// Cuts the next line off `text`.
std::string_view NextLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// A path below the root that cannot lead out of it.
bool IsPlain(std::string_view path) { return path.starts_with('/') && path.find("..") == std::string_view::npos; }

std::optional<std::string> TextAt(const std::string& path) {
  auto text = os::ReadFile(path, kMaxText);
  return text ? std::move(*text) : std::nullopt;
}

bool HasController(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    const std::size_t comma = controllers.find(',');
    if (controllers.substr(0, comma) == wanted) {
      return true;
    }
    controllers.remove_prefix(comma == std::string_view::npos ? controllers.size() : comma + 1);
  }
  return false;
}

}  // namespace

std::optional<std::string> MemoryEventsFile(std::string_view cgroup) {
  std::optional<std::string> second;
  while (!cgroup.empty()) {
    // `8:memory:/docker/ID` or `0::/system.slice/docker-ID.scope`
    const std::string_view line = NextLine(cgroup);
    const std::size_t first_colon = line.find(':');
    const std::size_t colon = first_colon == std::string_view::npos ? first_colon : line.find(':', first_colon + 1);
    if (colon == std::string_view::npos || !IsPlain(line.substr(colon + 1))) {
      continue;
    }
    const std::string path(line.substr(colon + 1));
    if (HasController(line.substr(first_colon + 1, colon - first_colon - 1), "memory")) {
      return std::string(kRoot) + "/memory" + path + "/memory.oom_control";
    }
    if (line.starts_with("0::")) {
      second = std::string(kRoot) + path + "/memory.events";
    }
  }
  return second;
}

std::optional<std::uint64_t> OomKillsIn(std::string_view events) {
  constexpr std::string_view kName = "oom_kill ";
  while (!events.empty()) {
    const std::string_view line = NextLine(events);
    if (!line.starts_with(kName)) {
      continue;
    }
    const std::string_view number = line.substr(kName.size());
    std::uint64_t kills = 0;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), kills);
    if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) {
      return std::nullopt;
    }
    return kills;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> OutOfMemoryKills(std::int64_t pid) {
  if (pid <= 1) {
    return std::nullopt;
  }
  const auto cgroup = TextAt("/proc/" + std::to_string(pid) + "/cgroup");
  const auto file = cgroup ? MemoryEventsFile(*cgroup) : std::nullopt;
  const auto events = file ? TextAt(*file) : std::nullopt;
  return events ? OomKillsIn(*events) : std::nullopt;
}

}  // namespace plimsoll::docker
