#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace plimsoll::docker {

// What the probes of plimsoll-guest said, as types. Everything here came out of a sandbox: it is bounded and has the
// form that is promised, and may still be a lie. An errno is `ok` or a name such as `EROFS`.

struct MountRow {
  std::string target;
  std::string type;
  std::vector<std::string> options;
};
struct WritableFact {
  std::int64_t tried = 0;
  std::vector<std::string> writable;
};
struct FillFact {
  std::int64_t bytes = 0;
  std::string result;
};
struct IdentityFact {
  // As in /proc/self/status; a list is empty where the line is.
  std::map<std::string, std::vector<std::string>, std::less<>> fields;
};
struct SocketFact {
  std::string result;
  std::string reply;
};
struct MemoryFact {
  std::int64_t mib = 0;
  std::string result;  // `held`, or the errno that stopped it
};
struct ForkFact {
  std::int64_t made = 0;
  std::string result;  // `made` on the way, then `ok` or the errno that stopped it
};
struct CpuFact {
  std::int64_t threads = 0;
  std::int64_t wall_ms = 0;
  std::int64_t used_ms = 0;
};

// All facts of one sandbox. A probe that was not run, or did not get to say anything, is absent.
struct Findings {
  std::optional<std::string> root_write;
  std::optional<std::vector<MountRow>> mounts;
  std::optional<WritableFact> writable;
  std::map<std::string, FillFact, std::less<>> fills;  // by directory
  std::optional<IdentityFact> identity;
  std::optional<std::vector<std::string>> interfaces;
  std::optional<std::map<std::string, std::string, std::less<>>> cgroup;        // file -> value, `absent`
  std::optional<std::map<std::string, std::string, std::less<>>> agent_hidden;  // attempt -> errno
  std::optional<SocketFact> socket;
  std::optional<MemoryFact> memory;  // the last word
  std::optional<ForkFact> fork;      // the last word
  std::optional<CpuFact> cpu;
  std::optional<std::string> kernel_log;
};

// Most bytes that one sandbox may say.
inline constexpr std::size_t kMaxFacts = std::size_t{256} * 1024;

// The lines of a probe's stdout. Fault kInternal on the first that is not of its form: another key, type or order of
// size than the probe's, a probe twice, progress that goes back, a line without its end.
base::Result<Findings> ParseFindings(std::string_view lines);

}  // namespace plimsoll::docker
