#pragma once

#include <utility>

namespace plimsoll::run {

// The public interfaces have structs of their own for what a run left, with members of the same names. These say once
// which those are.

// Moves what one process left: a snippet, or a step of a project.
template <typename To, typename From>
void MoveOutput(From& from, To& to) {
  to.stdout_bytes = std::move(from.stdout_bytes);
  to.stderr_bytes = std::move(from.stderr_bytes);
  to.exit_code = from.exit_code;
  to.timed_out = from.timed_out;
  to.stdout_truncated = from.stdout_truncated;
  to.stderr_truncated = from.stderr_truncated;
}

// Moves the steps and artifacts of a project.
template <typename To, typename From>
void MoveStepsAndArtifacts(From& from, To& to) {
  for (auto& step : from.steps) {
    auto& out = to.steps.emplace_back();
    out.command = std::move(step.command);
    MoveOutput(step, out);
    out.duration = step.duration;
  }
  for (auto& artifact : from.artifacts) {
    auto& out = to.artifacts.emplace_back();
    out.path = std::move(artifact.path);
    out.content = std::move(artifact.content);
  }
}

}  // namespace plimsoll::run
