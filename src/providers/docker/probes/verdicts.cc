#include "providers/docker/probes/verdicts.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace plimsoll::docker {

using Outcome = isolation::Probe::Outcome;

Verdict Pass(std::string detail) { return {.outcome = Outcome::kPass, .detail = std::move(detail)}; }
Verdict Fail(std::string detail) { return {.outcome = Outcome::kFail, .detail = std::move(detail)}; }
Verdict Skip(std::string reason) { return {.outcome = Outcome::kSkip, .detail = std::move(reason)}; }

std::string HowItEnded(const Trial& trial) {
  if (!trial.failure.empty()) {
    return trial.failure;
  }
  switch (trial.how) {
    case CallEnd::How::kDone: return "the call ended";
    case CallEnd::How::kContainerEnded:
      return trial.container ? "the sandbox was over with exit code " + std::to_string(trial.container->exit_code)
                             : "the sandbox was over";
    case CallEnd::How::kSilent: return "nothing was heard within its time";
    case CallEnd::How::kLost: return "the connection to the sandbox was lost";
    case CallEnd::How::kViolation: return "the agent broke its protocol";
    case CallEnd::How::kCanceled: return "it was called off";
  }
  return "";  // unreachable: the switch is complete and -Wswitch keeps it so
}

Verdict NoFact(const Trial& trial) { return Fail("the probe said nothing: " + HowItEnded(trial)); }

std::string ShownPath(std::string_view path) {
  constexpr std::size_t kMost = 64;
  const bool is_plain = path.size() <= kMost && std::all_of(path.begin(), path.end(), [](char c) {
                          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                                 c == '/' || c == '.' || c == '_' || c == '-';
                        });
  return is_plain ? std::string(path) : "a path of " + std::to_string(path.size()) + " bytes";
}

}  // namespace plimsoll::docker
