#pragma once

#include <chrono>
#include <cstdint>

#include "frames/agent.h"
#include "providers/docker/sandbox.h"
#include "run/request.h"

namespace plimsoll::docker {

// The bounds of providers-local.md 1.2 and 8.4, in bytes.
inline constexpr std::uint64_t kSnippetStreamCap = 65'536;
inline constexpr std::uint64_t kStepStreamCap = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kStepsTotalCap = std::uint64_t{3} << 20;
inline constexpr std::uint64_t kArtifactsCap = std::uint64_t{8} << 20;

// Budgets, and how long after a budget's end an agent may take to report before its sandbox is taken down.
struct Times {
  std::chrono::milliseconds default_timeout;
  std::chrono::milliseconds max_timeout;
  std::chrono::milliseconds grace;
};
inline constexpr Times kSnippetTimes = {.default_timeout = std::chrono::milliseconds(5'000),
                                        .max_timeout = std::chrono::milliseconds(30'000),
                                        .grace = std::chrono::milliseconds(400)};
inline constexpr Times kProjectTimes = {.default_timeout = std::chrono::milliseconds(30'000),
                                        .max_timeout = std::chrono::milliseconds(120'000),
                                        .grace = std::chrono::milliseconds(5'000)};

// What the agent of this sandbox is to do. A snippet's plan holds nothing of any caller, so that it can be sent ahead.
frames::agent::Plan SnippetPlan(const Sandbox& sandbox);
frames::agent::Plan ProjectPlan(const Sandbox& sandbox, const run::Project& project);

}  // namespace plimsoll::docker
