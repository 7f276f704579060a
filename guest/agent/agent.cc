#include "guest/agent/agent.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <utility>

namespace plimsoll::guest {

namespace agent = frames::agent;
using agent::Type;

Agent::Agent(Ends ends, const agent::Key& control, const base::Clock& clock)
    : signals_(std::move(ends.signals)), clock_(clock), link_(std::move(ends.from_host), std::move(ends.to_host)) {
  link_.Open(agent::kControl, control);
}

ExitStatus Agent::Run(const agent::Ready& identity) {
  link_.Say(Type::kReady, agent::kControl, agent::EncodeReady(identity));
  std::optional<ExitStatus> end = Turn();
  while (!end) {
    WaitForMore();
    end = HearHost();
    if (!end) {
      end = Turn();
    }
  }
  static_cast<void>(tree_.KillAll());
  return *end;
}

std::optional<ExitStatus> Agent::Turn() {
  // One read a turn: guests can send the signal faster than it is read, and what is left is read in the next turn.
  signalfd_siginfo ended;
  static_cast<void>(!::read(signals_.get(), &ended, sizeof ended));
  tree_.Reap();
  if (call_) {
    call_->Advance(clock_.Steady());
  }
  if (link_.Flush() == Link::Heard::kGone) {
    return ExitStatus::kHostGone;
  }
  // The host has its answer before time is spent on what a guest left running.
  if (call_ && call_->IsDone() && link_.IsEmpty()) {
    ClearUp();
  }
  AdvanceSweep();
  return std::nullopt;
}

void Agent::ClearUp() {
  if (!std::exchange(is_cleared_, true)) {
    static_cast<void>(tree_.KillAll());
  }
}

void Agent::AdvanceSweep() {
  if (!sweep_) {
    return;
  }
  if (const auto swept = sweep_->Advance(clock_.Steady())) {
    link_.Say(Type::kSwept, agent::kControl, agent::EncodeSwept(*swept));
    sweep_.reset();
  }
}

void Agent::WaitForMore() {
  polls_.Clear();
  polls_.Add(signals_.get(), POLLIN);
  link_.AddTo(polls_);
  if (call_) {
    call_->AddTo(polls_);
  }
  const base::SteadyTime now = clock_.Steady();
  // A sweep and a call that is not over are never there together.
  polls_.Wait(sweep_ ? sweep_->Due() : call_ ? call_->Due(now) : std::nullopt, now);
}

std::optional<ExitStatus> Agent::HearHost() {
  const Link::Heard heard = link_.Hear();
  while (true) {
    agent::Frame frame;
    const auto next = link_.Next(frame);
    if (!next) {
      return ExitStatus::kBadFrame;
    }
    if (*next == agent::Receiver::State::kNeedMore) {
      break;
    }
    if (!Take(frame)) {
      return ExitStatus::kBadFrame;
    }
  }
  return heard == Link::Heard::kGone ? std::optional(ExitStatus::kHostGone) : std::nullopt;
}

base::Status Agent::Take(const agent::Frame& frame) {
  if (frame.channel != agent::kControl) {
    // The link opens the channel of the present call only.
    return call_->Take(frame, clock_.Steady());
  }
  if (frame.type == Type::kKey) {
    return OpenCall(frame.body);
  }
  if (frame.type == Type::kSweep) {
    return BeginSweep(frame.body);
  }
  if (frame.type == Type::kPing) {
    link_.Say(Type::kPong, agent::kControl, frame.body);
    return base::Ok();
  }
  return Cancel(frame.body);
}

base::Status Agent::Cancel(std::string_view body) {
  const auto channel = agent::ParseChannel(body);
  if (!channel) {
    return channel.error();
  }
  // A call that has ended by itself in the meantime is no longer there to cancel.
  if (call_ && call_->channel() == *channel && !call_->IsDone()) {
    call_->Cancel(clock_.Steady());
  }
  return base::Ok();
}

base::Status Agent::OpenCall(std::string_view body) {
  const auto opened = agent::ParseOpenCall(body);
  if (!opened) {
    return opened.error();
  }
  // A number that rises: what was meant for a call before can never be taken for this one's.
  if (!IsFree() || opened->channel <= last_channel_) {
    return base::Fault{base::FaultKind::kInternal, "a call out of its turn"};
  }
  ClearUp();
  if (call_) {
    link_.Close(call_->channel());
  }
  last_channel_ = opened->channel;
  link_.Open(opened->channel, opened->key);
  call_ = std::make_unique<Call>(opened->channel, opened->kind, link_, tree_);
  is_cleared_ = false;
  return base::Ok();
}

base::Status Agent::BeginSweep(std::string_view body) {
  const auto order = agent::ParseSweep(body);
  if (!order) {
    return order.error();
  }
  if (!IsFree()) {
    return base::Fault{base::FaultKind::kInternal, "a sweep out of its turn"};
  }
  ClearUp();
  sweep_.emplace(*order, tree_, clock_.Steady());
  return base::Ok();
}

}  // namespace plimsoll::guest
