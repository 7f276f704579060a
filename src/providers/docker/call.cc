#include "providers/docker/call.h"

#include "base/check.h"

namespace plimsoll::docker {
namespace {

namespace agent = frames::agent;

base::Fault Breach(std::string_view what) {
  return {base::FaultKind::kInternal, "the agent broke the protocol: " + std::string(what)};
}

std::size_t MostSteps(agent::Kind kind, const agent::Plan& plan) {
  return kind == agent::Kind::kProject ? plan.steps.size() : 1;
}

bool Succeeded(const StepSeen& step) { return step.exited && step.exited->exit_code == 0 && !step.exited->timed_out; }

bool TimedOut(const StepSeen& step) { return step.exited && step.exited->timed_out; }

}  // namespace

CallTranscript::CallTranscript(agent::Kind kind, agent::Plan plan) : kind_(kind), plan_(std::move(plan)) {
  PLIMSOLL_CHECK(kind == agent::Kind::kSnippet || kind == agent::Kind::kProject);
}

base::Status CallTranscript::Take(const agent::Frame& frame) {
  if (breach_) {
    return *breach_;
  }
  auto judged = Judge(frame);
  if (const base::Fault* fault = base::FaultIn(judged)) {
    breach_ = *fault;
  }
  return judged;
}

base::Status CallTranscript::Judge(const agent::Frame& frame) {
  if (done_) {
    return Breach("a frame after the end of the call");
  }
  switch (frame.type) {
    case agent::Type::kStarted: return Started(frame.body);
    case agent::Type::kStdout: return Output(frame.body, &StepSeen::stdout_bytes);
    case agent::Type::kStderr: return Output(frame.body, &StepSeen::stderr_bytes);
    case agent::Type::kExited: return Exited(frame.body);
    case agent::Type::kArtifact: return Artifact(frame.body);
    case agent::Type::kDone: return Done(frame.body);
    case agent::Type::kReady:
    case agent::Type::kKey:
    case agent::Type::kCancel:
    case agent::Type::kPing:
    case agent::Type::kPong:
    case agent::Type::kSweep:
    case agent::Type::kSwept:
    case agent::Type::kPlan:
    case agent::Type::kFiles:
    case agent::Type::kPiece:
    case agent::Type::kBegin: return Breach("a frame of another kind on the channel of a call");
  }
  return Breach("an unknown frame");
}

base::Status CallTranscript::Started(std::string_view body) {
  const auto step = agent::ParseStarted(body);
  if (!step) {
    return step.error();
  }
  if (*step != steps_.size() || steps_.size() >= MostSteps(kind_, plan_)) {
    return Breach("a step out of order");
  }
  if (capturing_ || (!steps_.empty() && !Succeeded(steps_.back()))) {
    return Breach("a step after the last one that may run");
  }
  steps_.emplace_back();
  return base::Ok();
}

StepSeen* CallTranscript::Running(std::uint32_t step) {
  if (steps_.empty() || step != steps_.size() - 1 || steps_.back().exited) {
    return nullptr;
  }
  return &steps_.back();
}

base::Status CallTranscript::Output(std::string_view body, std::string StepSeen::* stream) {
  const auto output = agent::ParseOutput(body);
  if (!output) {
    return output.error();
  }
  StepSeen* step = Running(output->step);
  if (step == nullptr) {
    return Breach("output of a step that is not running");
  }
  std::string& kept = step->*stream;
  if (output->bytes.size() > plan_.stream_cap - kept.size()) {
    return Breach("more output than the cap of a stream");
  }
  if (plan_.total_cap > 0 && output->bytes.size() > plan_.total_cap - output_bytes_) {
    return Breach("more output than the cap of a call");
  }
  kept += output->bytes;
  output_bytes_ += output->bytes.size();
  return base::Ok();
}

base::Status CallTranscript::Exited(std::string_view body) {
  auto exited = agent::ParseExited(body);
  if (!exited) {
    return exited.error();
  }
  StepSeen* step = Running(exited->step);
  if (step == nullptr) {
    return Breach("the exit of a step that is not running");
  }
  step->exited = *exited;
  return base::Ok();
}

bool CallTranscript::all_steps_over() const { return steps_.empty() || steps_.back().exited.has_value(); }

base::Status CallTranscript::Artifact(std::string_view body) {
  const auto piece = agent::ParseArtifact(body);
  if (!piece) {
    return piece.error();
  }
  if (steps_.empty() || !all_steps_over()) {
    return Breach("an artifact before the last step is over");
  }
  const bool continues = in_artifact_ && piece->index == next_artifact_;
  if (piece->index >= plan_.artifacts.size() || (!continues && (in_artifact_ || piece->index < next_artifact_))) {
    return Breach("an artifact out of order");
  }
  if (piece->bytes.size() > plan_.artifact_cap - artifact_bytes_) {
    return Breach("more bytes of artifacts than their cap");
  }
  capturing_ = true;
  next_artifact_ = piece->index;
  in_artifact_ = true;
  open_content_ += piece->bytes;
  artifact_bytes_ += piece->bytes.size();
  if (piece->last) {
    artifacts_.emplace(piece->index, std::exchange(open_content_, {}));
    in_artifact_ = false;
    next_artifact_ = piece->index + 1;
  }
  return base::Ok();
}

base::Status CallTranscript::Done(std::string_view body) {
  auto done = agent::ParseDone(body);
  if (!done) {
    return done.error();
  }
  if (done->artifacts_truncated && kind_ != agent::Kind::kProject) {
    return Breach("an end that speaks of artifacts where there are none");
  }
  if (in_artifact_) {
    return Breach("an end within an artifact");
  }
  const bool timed_out = !steps_.empty() && TimedOut(steps_.back());
  switch (done->outcome) {
    case agent::Outcome::kCompleted:
      if (steps_.empty() || !all_steps_over() || timed_out ||
          (Succeeded(steps_.back()) && steps_.size() < MostSteps(kind_, plan_))) {
        return Breach("a completed call whose steps are not over");
      }
      break;
    case agent::Outcome::kSetupFailed:
      if (!steps_.empty()) {
        return Breach("a failed setup after a step was started");
      }
      break;
    case agent::Outcome::kTimedOut:
      if (!all_steps_over()) {
        return Breach("a timed out call whose last step is not over");
      }
      break;
    case agent::Outcome::kRunnerFailed: break;
  }
  done_ = std::move(*done);
  return base::Ok();
}

}  // namespace plimsoll::docker
