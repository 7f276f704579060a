#include "providers/docker/verdict.h"

#include <optional>
#include <string>
#include <utility>

#include "base/check.h"

namespace plimsoll::docker {
namespace {

namespace agent = frames::agent;
using How = CallEnd::How;

base::Fault NoEvidence(const CallEnd& end) {
  return {base::FaultKind::kInternal, "no evidence that the guest was started: " + end.detail};
}

// Ends that are never a result, whatever was said before them.
std::optional<base::Fault> FaultIn(const CallEnd& end) {
  switch (end.how) {
    case How::kLost: return base::Fault{base::FaultKind::kUnavailable, end.detail};
    case How::kCanceled: return base::Fault{base::FaultKind::kCanceled, end.detail};
    case How::kDone:
    case How::kContainerEnded:
    case How::kSilent:
    case How::kViolation: return std::nullopt;
  }
  return std::nullopt;
}

bool HeardTooLate(const CallEnd& end, base::SteadyTime deadline) {
  return end.exit_heard && *end.exit_heard >= deadline;
}

bool OutOfMemory(const CallEnd& end) { return end.container && end.container->oom_killed; }

// --- snippets

run::JavaScriptResult OutputOf(StepSeen step) {
  run::JavaScriptResult result;
  result.stdout_bytes = std::move(step.stdout_bytes);
  result.stderr_bytes = std::move(step.stderr_bytes);
  return result;
}

void EndAtDeadline(run::JavaScriptResult& result) {
  result.exit_code = run::kExitDeadline;
  result.timed_out = true;
  result.ending = run::Ending::kDeadline;
}

run::JavaScriptResult Exited(StepSeen step, const agent::Exited& exited, const CallEnd& end,
                             base::SteadyTime deadline) {
  run::JavaScriptResult result = OutputOf(std::move(step));
  result.stdout_truncated = exited.stdout_cut;
  result.stderr_truncated = exited.stderr_cut;
  if (exited.timed_out || HeardTooLate(end, deadline)) {
    EndAtDeadline(result);
    return result;
  }
  result.exit_code = exited.exit_code;
  if (exited.signal != 0) {
    result.ending = OutOfMemory(end) ? run::Ending::kOutOfMemory : run::Ending::kSignalled;
  }
  return result;
}

// The interpreter was running when its sandbox ended or fell silent. A stream that is full counts as cut: nobody had a
// chance to say whether it was.
run::JavaScriptResult Interrupted(StepSeen step, const agent::Plan& plan) {
  run::JavaScriptResult result = OutputOf(std::move(step));
  result.stdout_truncated = result.stdout_bytes.size() >= plan.stream_cap;
  result.stderr_truncated = result.stderr_bytes.size() >= plan.stream_cap;
  return result;
}

// --- projects

run::StepResult StepOf(StepSeen seen, const std::string& command, const agent::Plan& plan) {
  run::StepResult step;
  step.command = command;
  step.stdout_bytes = std::move(seen.stdout_bytes);
  step.stderr_bytes = std::move(seen.stderr_bytes);
  if (seen.exited) {
    step.exit_code = seen.exited->exit_code;
    step.timed_out = seen.exited->timed_out;
    step.stdout_truncated = seen.exited->stdout_cut;
    step.stderr_truncated = seen.exited->stderr_cut;
    step.duration = seen.exited->duration;
  } else {
    step.exit_code = run::kExitKilled;
    step.stdout_truncated = step.stdout_bytes.size() >= plan.stream_cap;
    step.stderr_truncated = step.stderr_bytes.size() >= plan.stream_cap;
  }
  return step;
}

run::ProjectResult StepsOf(CallTranscript& transcript, const run::Project& project) {
  run::ProjectResult result;
  std::size_t index = 0;
  for (StepSeen& seen : transcript.TakeSteps()) {
    result.steps.push_back(StepOf(std::move(seen), project.steps[index++], transcript.plan()));
  }
  return result;
}

run::ProjectResult Without(run::Outcome outcome, std::string detail) {
  run::ProjectResult result;
  result.outcome = outcome;
  result.outcome_detail = std::move(detail);
  return result;
}

std::string StepNumber(const run::ProjectResult& result) { return "step " + std::to_string(result.steps.size()); }

void EndAtDeadline(run::ProjectResult& result) {
  result.outcome = run::Outcome::kTimedOut;
  result.outcome_detail = result.steps.empty()            ? "the time limit ended the run before its first step"
                          : result.steps.back().timed_out ? "the time limit ended " + StepNumber(result)
                                                          : "the time limit ended the run after " + StepNumber(result);
}

// Of a call that ended with it.
const agent::Done& LastWord(const CallTranscript& transcript) {
  const std::optional<agent::Done>& done = transcript.end();
  PLIMSOLL_CHECK(done.has_value());
  return *done;
}

run::ProjectResult Done(const CallEnd& end, CallTranscript& transcript, const run::Project& project,
                        base::SteadyTime deadline) {
  const agent::Done& done = LastWord(transcript);
  run::ProjectResult result = StepsOf(transcript, project);
  for (auto& [index, content] : transcript.TakeArtifacts()) {
    result.artifacts.push_back({.path = project.artifacts[index], .content = std::move(content)});
  }
  result.artifacts_truncated = done.artifacts_truncated;
  if (HeardTooLate(end, deadline) && !result.steps.empty()) {
    result.steps.back().timed_out = true;
    result.steps.back().exit_code = run::kExitDeadline;
    EndAtDeadline(result);
    return result;
  }
  switch (done.outcome) {
    case agent::Outcome::kCompleted: result.outcome = run::Outcome::kCompleted; break;
    case agent::Outcome::kSetupFailed:
      result.outcome = run::Outcome::kSetupFailed;
      result.outcome_detail = done.detail.empty() ? "the sandbox could not be set up" : done.detail;
      break;
    case agent::Outcome::kTimedOut: EndAtDeadline(result); break;
    case agent::Outcome::kRunnerFailed:
      result.outcome = run::Outcome::kRunnerFailed;
      result.outcome_detail = "the runner failed after " + std::to_string(result.steps.size()) + " steps had begun";
      break;
  }
  return result;
}

run::ProjectResult SandboxEnded(const CallEnd& end, CallTranscript& transcript, const run::Project& project) {
  const bool in_step = !transcript.steps().back().exited.has_value();
  run::ProjectResult result = StepsOf(transcript, project);
  result.outcome = run::Outcome::kRunnerFailed;
  result.outcome_detail = "the sandbox ended " + std::string(in_step ? "during " : "after ") + StepNumber(result) +
                          ", before its report: container exit code " +
                          std::to_string(end.container ? end.container->exit_code : 0) +
                          (OutOfMemory(end) ? ", out of memory" : "");
  return result;
}

}  // namespace

base::Result<run::JavaScriptResult> SnippetVerdict(const CallEnd& end, CallTranscript& transcript,
                                                   base::SteadyTime deadline) {
  if (auto fault = FaultIn(end)) {
    return std::move(*fault);
  }
  if (end.how == How::kViolation) {
    return base::Fault{base::FaultKind::kInternal, end.detail};
  }
  if (!transcript.started()) {
    return NoEvidence(end);
  }
  StepSeen step = std::move(transcript.TakeSteps().front());
  if (const std::optional<agent::Exited> exited = step.exited) {
    return Exited(std::move(step), *exited, end, deadline);
  }
  run::JavaScriptResult result = Interrupted(std::move(step), transcript.plan());
  if (end.how == How::kSilent) {
    EndAtDeadline(result);
    return result;
  }
  if (end.how == How::kDone) {
    return base::Fault{base::FaultKind::kInternal, "the agent failed while a snippet ran"};
  }
  result.exit_code = run::kExitKilled;
  result.ending = OutOfMemory(end) ? run::Ending::kOutOfMemory : run::Ending::kSignalled;
  return result;
}

base::Result<run::ProjectResult> ProjectVerdict(const CallEnd& end, CallTranscript& transcript,
                                                const run::Project& project, base::SteadyTime deadline) {
  if (auto fault = FaultIn(end)) {
    return std::move(*fault);
  }
  if (end.how == How::kViolation) {
    return Without(run::Outcome::kProtocolError, "the sandbox gave no authentic report; what ran is unknown");
  }
  if (end.how == How::kDone && LastWord(transcript).outcome == agent::Outcome::kSetupFailed) {
    return Done(end, transcript, project, deadline);
  }
  if (!transcript.started()) {
    return NoEvidence(end);
  }
  switch (end.how) {
    case How::kDone: return Done(end, transcript, project, deadline);
    case How::kContainerEnded: return SandboxEnded(end, transcript, project);
    case How::kSilent: break;
    case How::kLost:
    case How::kViolation:
    case How::kCanceled: break;
  }
  return Without(run::Outcome::kTimedOut, "the time limit passed and the sandbox gave no report of its steps");
}

}  // namespace plimsoll::docker
