#include "providers/docker/probes/judges.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "providers/docker/probes/verdicts.h"

namespace plimsoll::docker {
namespace {

// The writable places that are promised, with their size.
std::map<std::string, std::uint32_t> PromisedPlaces(const Promise& promise) {
  std::map<std::string, std::uint32_t> places = {{"/tmp", kTmpMb}, {"/dev/shm", kShmMb}};
  if (promise.work == Work::kMounted) {
    places["/work"] = promise.work_mb;
  }
  return places;
}

const MountRow* LastMountAt(const std::vector<MountRow>& mounts, std::string_view target) {
  const auto row =
      std::find_if(mounts.rbegin(), mounts.rend(), [&](const MountRow& one) { return one.target == target; });
  return row == mounts.rend() ? nullptr : &*row;
}

bool Has(const MountRow& row, std::string_view option) {
  return std::find(row.options.begin(), row.options.end(), option) != row.options.end();
}

// What is wrong with a writable place, as the end of a sentence about it; empty when it is as promised.
std::string FlawOf(const MountRow* row, std::uint32_t size_mb) {
  if (row == nullptr || row->type != "tmpfs") {
    return " is no tmpfs of its own";
  }
  const std::string size = "size=" + std::to_string(std::uint64_t{size_mb} * 1024) + "k";
  for (const std::string& option : {std::string("noexec"), std::string("nosuid"), size}) {
    if (!Has(*row, option)) {
      return " is mounted without " + option;
    }
  }
  return "";
}

bool AllZeros(const std::vector<std::string>& values) {
  return values.size() == 1 && !values[0].empty() && values[0].find_first_not_of('0') == std::string::npos;
}

}  // namespace

Verdict JudgeRootWrite(const Seen& seen) {
  if (!seen.found.root_write) {
    return NoFact(seen.trial);
  }
  const std::string& result = *seen.found.root_write;
  // A kernel says that the file system is read-only before it looks at permissions, so EACCES shows a writable root to
  // whoever has the permission; a kernel of its own may look at them first, and then the mount says it.
  if (result == "EROFS" || (seen.promise.kernel == Kernel::kOwn && (result == "EACCES" || result == "EPERM"))) {
    return Pass("refused with " + result);
  }
  return Fail(result == "ok" ? "a file was created in /"
                             : "refused with " + result + ", EROFS is what a read-only root gives");
}

Verdict JudgeMounts(const Seen& seen) {
  if (!seen.found.mounts) {
    return NoFact(seen.trial);
  }
  const MountRow* root = LastMountAt(*seen.found.mounts, "/");
  if (root == nullptr || !Has(*root, "ro")) {
    return Fail("/ is not mounted read-only");
  }
  for (const auto& [target, size_mb] : PromisedPlaces(seen.promise)) {
    const std::string flaw = FlawOf(LastMountAt(*seen.found.mounts, target), size_mb);
    if (!flaw.empty()) {
      return Fail(target + flaw);
    }
  }
  return Pass("/ is read-only; " + std::to_string(PromisedPlaces(seen.promise).size()) +
              " writable places have noexec, nosuid and their size");
}

Verdict JudgeWritable(const Seen& seen) {
  if (!seen.found.writable || !seen.found.mounts) {
    return NoFact(seen.trial);
  }
  const std::set<std::string> writable(seen.found.writable->writable.begin(), seen.found.writable->writable.end());
  const auto promised = PromisedPlaces(seen.promise);
  for (const auto& [target, size_mb] : promised) {
    if (!writable.contains(target)) {
      // runc gives a tmpfs the mode of the folder that it covers, and docker makes a missing working directory for
      // root.
      return Fail(target + " cannot be written to; an image that has this folder must let everybody write there");
    }
  }
  for (const std::string& target : writable) {
    const MountRow* row = LastMountAt(*seen.found.mounts, target);
    // Message queues hold no files: a private IPC namespace has its own, bounded by the kernel per user.
    const bool is_queues = target == "/dev/mqueue" && row != nullptr && row->type == "mqueue";
    if (!promised.contains(target) && !is_queues) {
      return Fail(ShownPath(target) + " can be written to and is not promised");
    }
  }
  return Pass(std::to_string(seen.found.writable->tried) + " mount points were tried, the " +
              std::to_string(promised.size()) + " promised ones could be written to");
}

Verdict JudgeIdentity(const Seen& seen) {
  if (!seen.found.identity) {
    return NoFact(seen.trial);
  }
  const auto& fields = seen.found.identity->fields;
  const auto values = [&](std::string_view key) {
    const auto field = fields.find(key);
    return field == fields.end() ? std::vector<std::string>() : field->second;
  };
  const std::string uid = std::to_string(seen.promise.uid);
  const std::vector<std::string> four(4, uid);
  if (values("uid") != four || values("gid") != four) {
    return Fail("a uid or gid is not " + uid);
  }
  const auto groups = values("groups");
  if (std::any_of(groups.begin(), groups.end(), [&](const std::string& group) { return group != uid; })) {
    return Fail("there is another group than " + uid);
  }
  for (const char* key : {"cap_inh", "cap_prm", "cap_eff", "cap_bnd", "cap_amb"}) {
    if (!AllZeros(values(key))) {
      return Fail(std::string("a capability is left in ") + key);
    }
  }
  if (values("no_new_privs") != std::vector<std::string>{"1"}) {
    return Fail("a program could gain privileges: no_new_privs is not set");
  }
  // A kernel of its own stands in the filter's place.
  if (seen.promise.kernel == Kernel::kHosts && seen.promise.filter == Filter::kApplied &&
      values("seccomp") != std::vector<std::string>{"2"}) {
    return Fail("no seccomp filter is applied");
  }
  return Pass("uid, gid and groups are " + uid + " alone; no capability, no new privileges");
}

Verdict JudgeInterfaces(const Seen& seen) {
  if (!seen.found.interfaces) {
    return NoFact(seen.trial);
  }
  if (*seen.found.interfaces != std::vector<std::string>{"lo"}) {
    return Fail(std::to_string(seen.found.interfaces->size()) + " network interfaces, lo alone is promised");
  }
  return Pass("lo is the only network interface");
}

Verdict JudgeHostSocket(const Seen& seen) {
  if (!seen.found.socket) {
    return NoFact(seen.trial);
  }
  if (seen.found.socket->result == "ok" && seen.found.socket->reply == kSocketReply) {
    return Pass("the reply of the host's socket arrived");
  }
  return Fail("a mounted socket of the host cannot be used (" + seen.found.socket->result +
              "); a runsc must be registered with --host-uds=open");
}

Verdict JudgeAgentHidden(const Seen& seen) {
  if (!seen.found.agent_hidden) {
    return NoFact(seen.trial);
  }
  for (const auto& [attempt, result] : *seen.found.agent_hidden) {
    if (result != "EACCES" && result != "EPERM") {
      return Fail(attempt + " of process 1 was not refused" + (result == "ok" ? "" : " for lack of permission"));
    }
  }
  return Pass(std::to_string(seen.found.agent_hidden->size()) + " ways into process 1 were refused");
}

}  // namespace plimsoll::docker
