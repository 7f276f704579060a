#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::guest {

// What /proc/<pid>/stat says of one process or thread, as far as the agent needs it.
struct ProcessStat {
  char state = '?';
  pid_t parent = 0;
  std::uint64_t flags = 0;
  // Since the machine's start, as text: compared, never counted with, and negative under gVisor. With the number it is
  // the identity of a process.
  std::string start = {};

  bool is_over() const { return state == 'Z' || state == 'X'; }
  bool is_kernel_thread() const { return (flags & 0x200000U) != 0; }
};

// Pure. Nothing for a text of another shape.
std::optional<ProcessStat> ParseStat(std::string_view text);

// A look at one file of that shape. kUnreadable: the process may be there.
enum class Look { kThere, kGone, kUnreadable };
Look ReadStat(const std::string& path, ProcessStat& into);

}  // namespace plimsoll::guest
