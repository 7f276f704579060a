#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "frames/agent.h"
#include "providers/docker/call.h"

// The frames of a call as tests write them down: a type and a body each.
namespace plimsoll::docker {

using SaidFrame = std::pair<frames::agent::Type, std::string>;

inline SaidFrame Started(std::uint32_t step) {
  return {frames::agent::Type::kStarted, frames::agent::EncodeStarted(step)};
}
inline SaidFrame Output(frames::agent::Type stream, std::uint32_t step, std::string_view bytes) {
  std::string body;
  frames::agent::AppendOutputBody({.step = step, .bytes = bytes}, body);
  return {stream, std::move(body)};
}
inline SaidFrame Stdout(std::uint32_t step, std::string_view bytes) {
  return Output(frames::agent::Type::kStdout, step, bytes);
}
inline SaidFrame Stderr(std::uint32_t step, std::string_view bytes) {
  return Output(frames::agent::Type::kStderr, step, bytes);
}
inline SaidFrame Exited(frames::agent::Exited exited) {
  return {frames::agent::Type::kExited, frames::agent::EncodeExited(exited)};
}
inline SaidFrame Exit(std::uint32_t step, std::int32_t code) {
  return Exited({.step = step, .exit_code = code, .duration = std::chrono::milliseconds(3)});
}
inline SaidFrame TimedOut(std::uint32_t step) {
  return Exited({.step = step, .exit_code = 124, .signal = 9, .timed_out = true});
}
enum class Last { kNo, kYes };
inline SaidFrame Artifact(std::uint32_t index, std::string_view bytes, Last last) {
  std::string body;
  frames::agent::AppendArtifactBody({.index = index, .last = last == Last::kYes, .bytes = bytes}, body);
  return {frames::agent::Type::kArtifact, std::move(body)};
}
inline SaidFrame Done(frames::agent::Outcome outcome, std::string detail = {}) {
  return {frames::agent::Type::kDone,
          frames::agent::EncodeDone({.outcome = outcome, .artifacts_truncated = false, .detail = std::move(detail)})};
}

// Whether the judge takes it.
inline bool Takes(CallTranscript& call, const SaidFrame& said) {
  return call.Take({.type = said.first, .channel = 1, .body = said.second}).has_value();
}

inline frames::agent::Plan SmallSnippetPlan() {
  frames::agent::Plan plan;
  plan.argv = {"node", "-"};
  plan.stream_cap = 10;
  return plan;
}
inline frames::agent::Plan SmallProjectPlan() {
  frames::agent::Plan plan;
  plan.steps = {"a", "b", "c"};
  plan.artifacts = {"x", "y", "z"};
  plan.directory = "/work";
  plan.stream_cap = 10;
  plan.total_cap = 25;
  plan.artifact_cap = 8;
  return plan;
}

}  // namespace plimsoll::docker
