#include "guest/agent/call.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "guest/agent/files.h"
#include "guest/agent/spawn.h"

namespace plimsoll::guest {

namespace agent = frames::agent;
using agent::Outcome;
using agent::Type;
using std::chrono::milliseconds;

namespace {

constexpr std::int32_t kTimedOutCode = 124;
constexpr int kSignalBase = 128;

std::string DetailOf(const base::Error& error) { return std::string(base::TextOf(error)); }

}  // namespace

Call::Call(std::uint32_t channel, agent::Kind kind, Link& link, Tree& tree)
    : channel_(channel), link_(link), tree_(tree), order_(kind) {}

base::Status Call::Take(const agent::Frame& frame, base::SteadyTime now) {
  if (IsDone()) {
    return base::Ok();
  }
  const auto news = order_.Take(frame);
  if (!news) {
    return news.error();
  }
  if (*news == Order::News::kPlanned) {
    Prepare();
  } else if (*news == Order::News::kBegun) {
    Begin(now);
  }
  return base::Ok();
}

void Call::Prepare() {
  const agent::Plan& plan = order_.plan();
  total_left_ = plan.total_cap == 0 ? std::numeric_limits<std::uint64_t>::max() : plan.total_cap;
  if (IsProject()) {
    return;
  }
  auto started = Spawn({.argv = plan.argv,
                        .environment = WithHome(plan.environment),
                        .directory = plan.directory,
                        .input = Start::Input::kPipe});
  if (!started) {
    return Finish(Outcome::kSetupFailed, "the interpreter could not be started: " + DetailOf(started.error()));
  }
  tree_.Watch(started->pid);
  step_ = std::make_unique<Step>(std::move(started).value(), plan.stream_cap);
}

void Call::Begin(base::SteadyTime now) {
  deadline_ = now + order_.budget();
  step_start_ = now;
  if (IsProject()) {
    BeginProject(now);
  } else {
    BeginSnippet();
  }
}

void Call::BeginSnippet() {
  tree_.Reap();
  if (tree_.TakeStatus()) {
    return Finish(Outcome::kSetupFailed, "the interpreter ended before it was given code");
  }
  link_.Say(Type::kStarted, channel_, agent::EncodeStarted(index_));
  step_->SetInput(order_.TakeContent());
  phase_ = Phase::kRunning;
}

void Call::BeginProject(base::SteadyTime now) {
  auto directory = OpenDirectory(order_.plan().directory);
  if (!directory) {
    return Finish(Outcome::kSetupFailed, DetailOf(directory.error()));
  }
  directory_ = std::move(directory).value();
  if (auto written = WriteFiles(directory_, order_.files(), order_.TakeContent()); !written) {
    return Finish(Outcome::kSetupFailed, DetailOf(written.error()));
  }
  StartStep(now);
}

void Call::StartStep(base::SteadyTime now) {
  const agent::Plan& plan = order_.plan();
  std::vector<std::string> environment = WithHome(plan.environment);
  environment.push_back("PLIMSOLL_RUNNER_PID=" + std::to_string(::getpid()));
  auto started = Spawn({.argv = {"sh", "-c", plan.steps[index_]},
                        .environment = std::move(environment),
                        .directory = plan.directory,
                        .input = Start::Input::kNothing});
  if (!started) {
    const std::string detail = StepName() + " could not be started: " + DetailOf(started.error());
    return index_ == 0 ? Finish(Outcome::kSetupFailed, detail) : Conclude(Outcome::kRunnerFailed, detail);
  }
  tree_.Watch(started->pid);
  step_ = std::make_unique<Step>(std::move(started).value(), plan.stream_cap);
  step_start_ = now;
  link_.Say(Type::kStarted, channel_, agent::EncodeStarted(index_));
  phase_ = Phase::kRunning;
}

void Call::Cancel(base::SteadyTime now) {
  if (phase_ == Phase::kWaiting) {
    static_cast<void>(tree_.KillAll());
    return Finish(Outcome::kTimedOut, "ended before it began");
  }
  deadline_ = std::min(deadline_.value_or(now), now);
}

void Call::Advance(base::SteadyTime now) {
  DropLeftovers();
  bool goes_on = true;
  while (goes_on) {
    switch (phase_) {
      case Phase::kWaiting:
        goes_on = false;
        if (step_ && tree_.TakeStatus()) {
          Finish(Outcome::kSetupFailed, "the interpreter ended before it was given code");
        }
        break;
      case Phase::kRunning: goes_on = Watch(now); break;
      case Phase::kDraining: goes_on = Drain(now); break;
      case Phase::kCapturing: goes_on = CaptureSome(); break;
      case Phase::kDone: goes_on = false; break;
    }
  }
}

bool Call::Watch(base::SteadyTime now) {
  // The deadline first: what ended after it has timed out, whenever its end is noticed.
  if (HasDeadlinePassed(now)) {
    TimeOut(now);
    return true;
  }
  if (const auto status = tree_.TakeStatus()) {
    EndStep(*status, now);
    return true;
  }
  step_->Pump(SinkNow(), space_);
  return false;
}

void Call::EndStep(int status, base::SteadyTime now) {
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  exited_ = {.step = index_,
             .exit_code = signal != 0 ? kSignalBase + signal : WEXITSTATUS(status),
             .signal = static_cast<std::uint8_t>(signal),
             .duration = std::chrono::duration_cast<milliseconds>(now - step_start_)};
  step_->End();
  phase_ = Phase::kDraining;
}

void Call::TimeOut(base::SteadyTime now) {
  static_cast<void>(tree_.KillAll());
  EndStep(tree_.TakeStatus().value_or(SIGKILL), now);
  exited_.exit_code = kTimedOutCode;
  exited_.timed_out = true;
}

bool Call::Drain(base::SteadyTime now) {
  step_->Pump(SinkNow(), space_);
  if (!step_->IsDone()) {
    return false;
  }
  exited_.stdout_cut = step_->output_was_cut();
  exited_.stderr_cut = step_->errors_were_cut();
  link_.Say(Type::kExited, channel_, agent::EncodeExited(exited_));
  leftovers_.push_back(step_->TakeOutputPipe());
  leftovers_.push_back(step_->TakeErrorPipe());
  step_.reset();
  AfterStep(now);
  return true;
}

void Call::AfterStep(base::SteadyTime now) {
  if (exited_.timed_out) {
    return Conclude(Outcome::kTimedOut, IsProject() ? StepName() + " was ended at the deadline" : "");
  }
  if (!IsProject() || exited_.exit_code != 0 || index_ + 1 == order_.plan().steps.size()) {
    return Conclude(Outcome::kCompleted, "");
  }
  ++index_;
  if (HasDeadlinePassed(now)) {
    return Conclude(Outcome::kTimedOut, "the time was used up before " + StepName() + " began");
  }
  StartStep(now);
}

void Call::Conclude(Outcome outcome, std::string detail) {
  if (!IsProject()) {
    return Finish(outcome, std::move(detail));
  }
  done_ = {.outcome = outcome, .detail = std::move(detail)};
  capture_ = std::make_unique<Capture>(directory_, order_.plan().artifacts, order_.plan().artifact_cap);
  phase_ = Phase::kCapturing;
}

bool Call::CaptureSome() {
  if (!capture_->Continue(link_, channel_, space_)) {
    return false;
  }
  done_.artifacts_truncated = capture_->was_truncated();
  Finish(done_.outcome, std::move(done_.detail));
  return true;
}

void Call::Finish(Outcome outcome, std::string detail) {
  step_.reset();  // of an interpreter that never began; its streams are ready for ever once it is gone
  done_.outcome = outcome;
  done_.detail = std::move(detail);
  link_.Say(Type::kDone, channel_, agent::EncodeDone(done_));
  phase_ = Phase::kDone;
}

void Call::DropLeftovers() {
  const auto is_over = [this](os::UniqueFd& pipe) {
    const ssize_t count = pipe.is_open() ? ::read(pipe.get(), space_.data(), space_.size()) : 0;
    return count == 0;
  };
  std::erase_if(leftovers_, is_over);
}

std::string Call::StepName() const {
  return "step " + std::to_string(index_ + 1) + " of " + std::to_string(order_.plan().steps.size());
}

std::optional<base::SteadyTime> Call::Due(base::SteadyTime now) const {
  // Nothing becomes ready when a capture has room again: the wait would have no end.
  if (phase_ == Phase::kCapturing && link_.HasRoom()) {
    return now;
  }
  return phase_ == Phase::kRunning ? deadline_ : std::nullopt;
}

void Call::AddTo(Polls& polls) {
  for (const os::UniqueFd& pipe : leftovers_) {
    polls.Add(pipe.get(), POLLIN);
  }
  if (step_ && phase_ != Phase::kWaiting) {
    step_->AddTo(polls, SinkNow());
  }
}

}  // namespace plimsoll::guest
