#include "providers/docker/probes/facts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "providers/docker/probes/flat_json.h"

namespace plimsoll::docker {
namespace {

// Takes the members of one line out of it, each once and of its type; what is left over, or missing, is a breach.
class Members {
 public:
  explicit Members(FlatObject object) : object_(std::move(object)) {}

  template <typename T>
  std::optional<T> Take(std::string_view key) {
    const auto member = object_.find(key);
    if (member == object_.end() || !std::holds_alternative<T>(member->second)) {
      return std::nullopt;
    }
    T value = std::get<T>(std::move(member->second));
    object_.erase(member);
    return value;
  }

  // `ok`, `held`, `made` or the name of an error.
  std::optional<std::string> TakeResult(std::string_view key) {
    auto text = Take<std::string>(key);
    const bool is_name = text && text->size() >= 2 && text->size() <= 24 && text->front() == 'E' &&
                         std::all_of(text->begin(), text->end(),
                                     [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
    return is_name || text == "ok" || text == "held" || text == "made" ? text : std::nullopt;
  }

  std::optional<std::int64_t> TakeCount(std::string_view key) {
    const auto number = Take<std::int64_t>(key);
    return number && *number >= 0 ? number : std::nullopt;
  }

  bool empty() const { return object_.empty(); }

 private:
  FlatObject object_;
};

// Keeps a fact where none was.
template <typename T>
bool KeepOnce(std::optional<T>& place, std::optional<T> fact) {
  const bool fits = fact.has_value() && !place.has_value();
  place = std::move(fact);
  return fits;
}

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(comma + 1);
  }
}

bool TakeRootWrite(Members& line, Findings& found) { return KeepOnce(found.root_write, line.TakeResult("result")); }

bool TakeMounts(Members& line, Findings& found) {
  const auto rows = line.Take<FlatRows>("rows");
  if (!rows || found.mounts) {
    return false;
  }
  found.mounts.emplace();
  for (const std::vector<std::string>& row : *rows) {
    if (row.size() != 3) {
      return false;
    }
    found.mounts->push_back({.target = row[0], .type = row[1], .options = SplitAtCommas(row[2])});
  }
  return true;
}

bool TakeWritable(Members& line, Findings& found) {
  const auto tried = line.TakeCount("tried");
  auto writable = line.Take<FlatList>("writable");
  if (!tried || !writable) {
    return false;
  }
  return KeepOnce(found.writable, std::optional(WritableFact{.tried = *tried, .writable = *std::move(writable)}));
}

bool TakeFill(Members& line, Findings& found) {
  const auto directory = line.Take<std::string>("directory");
  const auto bytes = line.TakeCount("bytes");
  const auto result = line.TakeResult("result");
  return directory && bytes && result && found.fills.emplace(*directory, FillFact{*bytes, *result}).second;
}

bool TakeIdentity(Members& line, Findings& found) {
  constexpr std::array kKeys = {"uid",     "gid",     "groups",  "cap_inh",      "cap_prm",
                                "cap_eff", "cap_bnd", "cap_amb", "no_new_privs", "seccomp"};
  IdentityFact identity;
  for (const char* key : kKeys) {
    // A kernel may lack a line.
    if (auto values = line.Take<FlatList>(key)) {
      identity.fields.emplace(key, *std::move(values));
    }
  }
  return KeepOnce(found.identity, std::optional(std::move(identity)));
}

bool TakeInterfaces(Members& line, Findings& found) { return KeepOnce(found.interfaces, line.Take<FlatList>("names")); }

bool TakeTexts(Members& line, std::span<const char* const> keys, bool (*fits)(std::string_view),
               std::optional<std::map<std::string, std::string, std::less<>>>& place) {
  std::map<std::string, std::string, std::less<>> texts;
  for (const char* key : keys) {
    auto text = line.Take<std::string>(key);
    if (!text || !fits(*text)) {
      return false;
    }
    texts.emplace(key, *std::move(text));
  }
  return KeepOnce(place, std::optional(std::move(texts)));
}

// What a control group's file of one value holds.
bool IsGroupValue(std::string_view text) {
  return text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == ' ' || c == '-';
         });
}

bool IsErrorOrOk(std::string_view text) { return text == "ok" || (text.size() >= 2 && text.front() == 'E'); }

bool TakeCgroup(Members& line, Findings& found) {
  constexpr std::array kKeys = {"pids_max", "memory_max",   "swap_max",     "memory_and_swap_max",
                                "cpu_max",  "cpu_quota_us", "cpu_period_us"};
  return TakeTexts(line, kKeys, IsGroupValue, found.cgroup);
}

bool TakeHidden(Members& line, Findings& found) {
  constexpr std::array kKeys = {"fd0_read", "fd1_read",      "fd1_write",    "mem",     "environ",
                                "maps",     "ptrace_attach", "ptrace_seize", "vm_read", "vm_write"};
  return TakeTexts(line, kKeys, IsErrorOrOk, found.agent_hidden);
}

bool TakeSocket(Members& line, Findings& found) {
  auto result = line.TakeResult("result");
  auto reply = line.Take<std::string>("reply");
  if (!result || !reply) {
    return false;
  }
  return KeepOnce(found.socket, std::optional(SocketFact{*std::move(result), *std::move(reply)}));
}

bool TakeMemory(Members& line, Findings& found) {
  const auto mib = line.TakeCount("mib");
  const auto result = line.TakeResult("result");
  if (!mib || !result || (found.memory && (found.memory->result != "held" || *mib < found.memory->mib))) {
    return false;
  }
  found.memory = MemoryFact{*mib, *result};
  return true;
}

bool TakeFork(Members& line, Findings& found) {
  const auto made = line.TakeCount("made");
  const auto result = line.TakeResult("result");
  if (!made || !result || (found.fork && (found.fork->result != "made" || *made < found.fork->made))) {
    return false;
  }
  found.fork = ForkFact{*made, *result};
  return true;
}

bool TakeCpu(Members& line, Findings& found) {
  const auto threads = line.TakeCount("threads");
  const auto wall = line.TakeCount("wall_ms");
  const auto used = line.TakeCount("used_ms");
  return threads && wall && used && KeepOnce(found.cpu, std::optional(CpuFact{*threads, *wall, *used}));
}

bool TakeKernelLog(Members& line, Findings& found) {
  return line.TakeResult("result").has_value() && KeepOnce(found.kernel_log, line.Take<std::string>("line"));
}

struct Form {
  std::string_view probe;
  bool (*take)(Members& line, Findings& found);
};
constexpr std::array kForms = {
    Form{"root-write", TakeRootWrite},
    Form{"mounts", TakeMounts},
    Form{"writable", TakeWritable},
    Form{"fill", TakeFill},
    Form{"identity", TakeIdentity},
    Form{"interfaces", TakeInterfaces},
    Form{"cgroup", TakeCgroup},
    Form{"agent-hidden", TakeHidden},
    Form{"unix-socket", TakeSocket},
    Form{"memory", TakeMemory},
    Form{"fork", TakeFork},
    Form{"cpu", TakeCpu},
    Form{"kernel-log", TakeKernelLog},
};

bool TakeLine(std::string_view text, Findings& found) {
  auto object = ParseFlat(text);
  if (!object) {
    return false;
  }
  Members line(*std::move(object));
  const auto probe = line.Take<std::string>("probe");
  const auto form = std::find_if(kForms.begin(), kForms.end(), [&](const Form& one) { return probe == one.probe; });
  return form != kForms.end() && form->take(line, found) && line.empty();
}

}  // namespace

base::Result<Findings> ParseFindings(std::string_view lines) {
  if (lines.size() > kMaxFacts) {
    return base::Fault{base::FaultKind::kInternal, "a probe said more than " + std::to_string(kMaxFacts) + " bytes"};
  }
  Findings found;
  std::size_t number = 0;
  while (!lines.empty()) {
    ++number;
    const std::size_t end = lines.find('\n');
    if (end == std::string_view::npos || !TakeLine(lines.substr(0, end), found)) {
      return base::Fault{base::FaultKind::kInternal, "line " + std::to_string(number) + " of a probe is not a fact"};
    }
    lines.remove_prefix(end + 1);
  }
  return found;
}

}  // namespace plimsoll::docker
