#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "frames/agent.h"

namespace plimsoll::docker {

// What an agent has said about one step whose process was started (step 0 of a snippet is its interpreter).
struct StepSeen {
  std::string stdout_bytes;
  std::string stderr_bytes;
  std::optional<frames::agent::Exited> exited;
};

// Judges what an agent says on one call's channel: pure, fuzzed, bounded by the plan whatever comes (DOC-3). The place
// of every frame, step numbers, caps and indexes are checked; the first breach is a Fault kInternal and final.
class CallTranscript {
 public:
  // `kind` is kSnippet or kProject.
  CallTranscript(frames::agent::Kind kind, frames::agent::Plan plan);

  // One authentic frame of the call's channel.
  base::Status Take(const frames::agent::Frame& frame);

  // True once kDone was taken; nothing may follow it.
  bool done() const { return done_.has_value(); }
  // True once any step's process was started: the evidence that guest code was reached (providers-local.md 7.3).
  bool started() const { return !steps_.empty(); }

  frames::agent::Kind kind() const { return kind_; }
  const frames::agent::Plan& plan() const { return plan_; }
  const std::vector<StepSeen>& steps() const { return steps_; }
  std::vector<StepSeen> TakeSteps() { return std::move(steps_); }
  const std::optional<frames::agent::Done>& end() const { return done_; }
  // Whole artifacts by index of Plan::artifacts; an artifact whose last piece is missing is not in it.
  std::map<std::uint32_t, std::string> TakeArtifacts() { return std::move(artifacts_); }

 private:
  base::Status Judge(const frames::agent::Frame& frame);
  base::Status Started(std::string_view body);
  base::Status Output(std::string_view body, std::string StepSeen::* stream);
  base::Status Exited(std::string_view body);
  base::Status Artifact(std::string_view body);
  base::Status Done(std::string_view body);
  // Null when `step` is not the one that runs now.
  StepSeen* Running(std::uint32_t step);
  bool all_steps_over() const;

  frames::agent::Kind kind_;
  frames::agent::Plan plan_;
  std::vector<StepSeen> steps_;
  std::uint64_t output_bytes_ = 0;
  std::map<std::uint32_t, std::string> artifacts_;
  std::uint32_t next_artifact_ = 0;  // the least index that may come
  bool in_artifact_ = false;         // pieces of next_artifact_ have come and its last has not
  bool capturing_ = false;           // an artifact was seen: no step may follow
  std::string open_content_;
  std::uint64_t artifact_bytes_ = 0;
  std::optional<frames::agent::Done> done_;
  std::optional<base::Fault> breach_;
};

}  // namespace plimsoll::docker
