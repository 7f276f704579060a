#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frames/agent.h"

namespace plimsoll::docker {

// What an agent has said about one step of a call (0 for a snippet, from 0 on for a project).
struct StepSeen {
  bool started = false;
  std::string stdout_bytes;
  std::string stderr_bytes;
  bool stdout_cut = false;
  bool stderr_cut = false;
  std::optional<frames::agent::Exited> exited;
};

// Judges what an agent says on one call's channel: pure, fuzzed, bounded by the plan whatever comes. Order of steps,
// caps, indexes and the place of every frame are checked; the first breach is a Fault kInternal and final.
class CallTranscript {
 public:
  // The plan must outlive the transcript.
  CallTranscript(frames::agent::Kind kind, const frames::agent::Plan& plan);

  // One authentic frame of the call's channel.
  base::Status Take(const frames::agent::Frame& frame);

  // True once kDone was taken; nothing may follow it.
  bool done() const { return done_.has_value(); }
  // True once any step's process was started: the evidence that guest code was reached.
  bool started() const;

  const std::vector<StepSeen>& steps() const { return steps_; }
  std::vector<StepSeen> TakeSteps() { return std::move(steps_); }
  const std::optional<frames::agent::Done>& end() const { return done_; }
  // Whole artifacts by index of Plan::artifacts; an artifact whose last piece is missing is not in it.
  std::map<std::uint32_t, std::string> TakeArtifacts() { return std::move(artifacts_); }

 private:
  frames::agent::Kind kind_;
  const frames::agent::Plan& plan_;
  std::vector<StepSeen> steps_;
  std::map<std::uint32_t, std::string> artifacts_;
  std::optional<std::uint32_t> open_artifact_;
  std::string open_content_;
  std::uint64_t artifact_bytes_ = 0;
  std::optional<frames::agent::Done> done_;
};

}  // namespace plimsoll::docker
