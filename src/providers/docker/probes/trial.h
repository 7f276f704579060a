#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "providers/docker/host_group.h"
#include "providers/docker/sandbox.h"
#include "providers/docker/state.h"

namespace plimsoll::docker {

// What one throwaway sandbox is to do.
struct ProbeWords {
  std::vector<std::string> words;  // after `plimsoll-guest probe`
};
struct SnippetCode {
  std::string code;  // through the path of every snippet
};
struct ProjectSteps {
  std::vector<std::string> steps;  // through the path of every project
};
enum class HostSocket { kNone, kMounted };
struct TrialOrder {
  Role role = Role::kSnippet;
  std::variant<ProbeWords, SnippetCode, ProjectSteps> what;
  HostSocket host_socket = HostSocket::kNone;
};

// What came of it.
struct Trial {
  std::string failure;  // in our own words, why nothing was run; empty: it was
  CallEnd::How how = CallEnd::How::kLost;
  std::optional<ContainerState> container;  // of how == kContainerEnded
  std::vector<StepSeen> steps;
  HostGroup before;  // as this host saw the container's group before and after
  HostGroup after;
  std::chrono::milliseconds between{0};  // from the one look to the other
};

using RunTrial = std::function<Trial(const TrialOrder&)>;

// What a host socket of a trial is asked and what it answers.
inline constexpr std::string_view kSocketQuestion = "plimsoll-probe";
inline constexpr std::string_view kSocketReply = "plimsoll-host";

}  // namespace plimsoll::docker
