#include "guest/agent/others.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "guest/agent/numbered.h"
#include "guest/agent/process_stat.h"

namespace plimsoll::guest {
namespace {

// Whether /proc lists the namespace that this process is the first of, and not one around it.
bool ListsThisNamespace() {
  std::array<char, 16> self;
  const ssize_t count = ::readlink("/proc/self", self.data(), self.size());
  return count > 0 && std::string_view(self.data(), static_cast<std::size_t>(count)) == "1";
}

// A process whose main thread has ended reads as a zombie while another thread of it runs.
bool AreAllThreadsOver(const std::string& process) {
  const auto threads = NumbersIn((process + "/task").c_str());
  if (!threads) {
    return errno == ENOENT || errno == ESRCH;
  }
  for (const int thread : *threads) {
    ProcessStat stat;
    const enum Look look = ReadStat(process + "/task/" + std::to_string(thread) + "/stat", stat);
    if (look == Look::kUnreadable || (look == Look::kThere && !stat.is_over())) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool Others::IsAccepted(const std::string& name) {
  const std::string process = "/proc/" + name;
  ProcessStat stat;
  switch (ReadStat(process + "/stat", stat)) {
    case Look::kGone: return true;
    case Look::kUnreadable: return false;
    case Look::kThere: break;
  }
  if (stat.is_kernel_thread()) {
    return true;
  }
  const std::string identity = name + ":" + stat.start;
  now_.insert(identity);
  return stat.is_over() && seen_.contains(identity) && AreAllThreadsOver(process);
}

Others::Found Others::Look() {
  const auto processes = NumbersIn("/proc");
  if (!processes || !ListsThisNamespace()) {
    return Found::kSome;
  }
  Found found = Found::kNothing;
  now_.clear();
  for (const int pid : *processes) {
    if (pid != 1 && !IsAccepted(std::to_string(pid))) {
      found = Found::kSome;
    }
  }
  seen_ = std::exchange(now_, {});
  return found;
}

}  // namespace plimsoll::guest
