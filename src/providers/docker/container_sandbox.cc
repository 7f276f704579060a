#include "providers/docker/container_sandbox.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "base/check.h"
#include "os/read_file.h"
#include "providers/docker/call_clock.h"
#include "providers/docker/host_group.h"

namespace plimsoll::docker {
namespace {

namespace agent = frames::agent;
using std::chrono::milliseconds;

// The stream of a container that has ended is over before the engine has noted it: how long it may take.
constexpr milliseconds kEndNoted{2'000};
constexpr milliseconds kLookAgain{10};
// Of one look at a container whose answer does not depend on it.
constexpr milliseconds kInspectLimit{250};
constexpr std::uint8_t kSigkill = 9;
// Code and files up to this size leave together with the word to begin.
constexpr std::size_t kSmall = std::size_t{64} * 1024;

base::Fault Internal(std::string detail) { return {base::FaultKind::kInternal, std::move(detail)}; }

using OnStop = std::stop_callback<std::function<void()>>;

// Why a wait for the agent came to nothing.
base::Fault FaultOf(AgentLink::Heard heard, const AgentLink& link) {
  switch (heard) {
    case AgentLink::Heard::kTime: return Internal("the agent did not answer in time");
    case AgentLink::Heard::kFlag: return {base::FaultKind::kCanceled, "the caller left"};
    case AgentLink::Heard::kEnded: return Internal("the sandbox ended before its call");
    case AgentLink::Heard::kViolation: return Internal(link.violation());
    case AgentLink::Heard::kFrame:
    case AgentLink::Heard::kDrained: break;
  }
  return Internal("the agent spoke out of turn");
}

}  // namespace

ContainerSandbox::ContainerSandbox(Facts facts, os::Flag flag, const base::Clock& clock, base::Random& random)
    : facts_(std::move(facts)), flag_(std::move(flag)), clock_(clock), random_(random) {}

agent::Key ContainerSandbox::FreshKey() {
  std::array<std::byte, agent::Key::kSize> bytes;
  random_.Fill(bytes);
  agent::Key key(bytes);
  std::ranges::fill(bytes, std::byte{0});
  return key;
}

void ContainerSandbox::Connect(Attached attached) { link_.emplace(std::move(attached), FreshKey(), clock_); }

AgentLink& ContainerSandbox::link() {
  PLIMSOLL_CHECK(link_.has_value());
  return *link_;
}

CallTranscript& ContainerSandbox::transcript() {
  PLIMSOLL_CHECK(transcript_.has_value());
  return *transcript_;
}

// Sends what is waiting while the agent has nothing to say.
base::Status ContainerSandbox::Send(const http::Bounds& bounds) {
  const OnStop on_stop(bounds.stop, [this] { flag_.Raise(); });
  agent::Frame frame;
  const auto heard = link().Next(frame, bounds.deadline, flag_);
  if (heard != AgentLink::Heard::kDrained) {
    return FaultOf(heard, link());
  }
  return base::Ok();
}

base::Status ContainerSandbox::Expect(agent::Type type, agent::Frame& frame, const http::Bounds& bounds) {
  const OnStop on_stop(bounds.stop, [this] { flag_.Raise(); });
  auto heard = link().Next(frame, bounds.deadline, flag_);
  if (heard == AgentLink::Heard::kDrained) {
    heard = link().Next(frame, bounds.deadline, flag_);
  }
  if (heard != AgentLink::Heard::kFrame || frame.type != type || frame.channel != agent::kControl) {
    return FaultOf(heard, link());
  }
  return base::Ok();
}

base::Status ContainerSandbox::AwaitReady(const http::Bounds& bounds) {
  agent::Frame frame;
  if (auto heard = Expect(agent::Type::kReady, frame, bounds); !heard) {
    return heard;
  }
  const auto ready = agent::ParseReady(frame.body);
  if (!ready) {
    return ready.error();
  }
  // Its own word, so no proof against a program that lies: it tells of one that took the place of the program of the
  // preflight before the engine mounted it.
  if (ready->sha256 != facts_.state->agent_sha256) {
    return Internal("the agent is not the program that the preflight saw; install one agent and restart the daemon");
  }
  return base::Ok();
}

base::Status ContainerSandbox::Prepare(agent::Kind kind, agent::Plan plan, const http::Bounds& bounds) {
  PLIMSOLL_CHECK(!transcript_ || transcript_->done());
  // An image may declare an environment that no plan can hold.
  if (auto checked = agent::CheckPlan(plan); !checked) {
    return checked;
  }
  if (transcript_) {
    link().Close(call_++);
  }
  exit_heard_.reset();
  transcript_.emplace(kind, std::move(plan));
  const agent::Key key = FreshKey();
  link().Append(agent::Type::kKey, agent::kControl,
                agent::EncodeOpenCall({.channel = call_, .kind = kind, .key = key}));
  link().Open(call_, key);
  link().Append(agent::Type::kPlan, call_, agent::EncodePlan(transcript().plan()));
  return Send(bounds);
}

base::Status ContainerSandbox::LowerFlag() {
  auto flag = os::Flag::Create();
  if (!flag) {
    return std::move(flag).error();
  }
  flag_ = std::move(*flag);
  return base::Ok();
}

base::Status ContainerSandbox::Settle(const http::Bounds& bounds) {
  // The caller of the call may have raised it.
  if (auto lowered = LowerFlag(); !lowered) {
    return lowered;
  }
  const OnStop on_stop(bounds.stop, [this] { flag_.Raise(); });
  link().Append(agent::Type::kCancel, agent::kControl, agent::EncodeChannel(call_));
  while (!transcript().done()) {
    agent::Frame frame;
    const auto heard = link().Next(frame, bounds.deadline, flag_);
    if (heard == AgentLink::Heard::kDrained) {
      continue;
    }
    if (heard != AgentLink::Heard::kFrame) {
      return FaultOf(heard, link());
    }
    if (const auto end = Take(frame); end && end->how != CallEnd::How::kDone) {
      return Internal(end->detail);
    }
  }
  return base::Ok();
}

base::Result<agent::Swept> ContainerSandbox::Sweep(const agent::SweepOrder& order, const http::Bounds& bounds) {
  if (auto lowered = LowerFlag(); !lowered) {
    return std::move(lowered).error();
  }
  link().Append(agent::Type::kSweep, agent::kControl, agent::EncodeSweep(order));
  agent::Frame frame;
  if (auto heard = Expect(agent::Type::kSwept, frame, bounds); !heard) {
    return std::move(heard).error();
  }
  return agent::ParseSwept(frame.body);
}

base::Status ContainerSandbox::Ping(const http::Bounds& bounds) {
  std::array<std::byte, 32> bytes;
  random_.Fill(bytes);
  std::string nonce;
  for (const std::byte byte : bytes) {
    nonce.push_back(static_cast<char>(byte));
  }
  link().Append(agent::Type::kPing, agent::kControl, nonce);
  agent::Frame frame;
  if (auto heard = Expect(agent::Type::kPong, frame, bounds); !heard) {
    return heard;
  }
  if (frame.body != nonce) {
    return Internal("the agent answered another nonce");
  }
  return base::Ok();
}

// The bytes that were added.
std::size_t ContainerSandbox::AppendFiles(const std::vector<CallFile>& files) {
  std::vector<agent::FileHead> heads;
  std::size_t size = 0;
  for (const CallFile& file : files) {
    heads.push_back({.path = std::string(file.path), .size = file.content.size()});
    size += file.content.size();
  }
  link().Append(agent::Type::kFiles, call_, agent::EncodeFiles(heads));
  // Pieces hold the files back to back, whatever their borders, so that many small files are few frames.
  std::string piece;
  for (const CallFile& file : files) {
    for (std::string_view left = file.content; !left.empty();) {
      const std::size_t part = std::min(left.size(), agent::kMaxPiece - piece.size());
      piece += left.substr(0, part);
      left.remove_prefix(part);
      if (piece.size() == agent::kMaxPiece) {
        link().Append(agent::Type::kPiece, call_, piece);
        piece.clear();
      }
    }
  }
  if (!piece.empty()) {
    link().Append(agent::Type::kPiece, call_, piece);
  }
  return size;
}

namespace {

CallEnd EndedBy(CallEnd::How how, std::string detail) {
  return {.how = how, .container = {}, .exit_heard = {}, .detail = std::move(detail)};
}

// Whether a step was ended by SIGKILL before its time: want of memory is the likeliest reason.
bool WasKilled(const StepSeen& step) {
  return step.exited && step.exited->signal == kSigkill && !step.exited->timed_out;
}

}  // namespace

std::optional<CallEnd> ContainerSandbox::Take(const agent::Frame& frame) {
  if (frame.channel != call_) {
    return EndedBy(CallEnd::How::kViolation, "the agent spoke on its control channel during a call");
  }
  if (auto taken = transcript().Take(frame); !taken) {
    return EndedBy(CallEnd::How::kViolation, std::string(base::TextOf(taken.error())));
  }
  if (frame.type == agent::Type::kExited) {
    exit_heard_ = clock_.Steady();
  }
  if (transcript().done()) {
    return EndedBy(CallEnd::How::kDone, {});
  }
  return std::nullopt;
}

CallEnd ContainerSandbox::Run(const std::vector<CallFile>& files, base::SteadyTime deadline, milliseconds grace,
                              std::stop_token stop) {
  PLIMSOLL_CHECK(transcript_.has_value());
  const OnStop on_stop(stop, [this] { flag_.Raise(); });
  CallClock times(link(), call_, clock_, {.deadline = deadline, .grace = grace});
  if (AppendFiles(files) <= kSmall) {
    times.Begin();
  }
  CallEnd end = Converse(times, stop);
  end.exit_heard = exit_heard_;
  const auto& steps = transcript().steps();
  const bool is_snippet = transcript().kind() == agent::Kind::kSnippet;
  if (end.how == CallEnd::How::kDone && is_snippet && !steps.empty() && WasKilled(steps.back())) {
    end.container = ContainerOfKilled();
  }
  return end;
}

// The kernel counts it for the container as a whole, through all its calls; the engine notes it only when the container
// ends.
std::optional<ContainerState> ContainerSandbox::ContainerOfKilled() {
  auto answer = facts_.state->engine->Inspect(id_, {.deadline = clock_.Steady() + kInspectLimit});
  auto* container = std::get_if<ContainerState>(&answer);
  if (container == nullptr) {
    return std::nullopt;
  }
  const std::uint64_t counted = OutOfMemoryKills(container->pid, id_, os::ReadFile).value_or(memory_kills_);
  container->oom_killed = container->oom_killed || counted > memory_kills_;
  memory_kills_ = counted;
  return std::move(*container);
}

CallEnd ContainerSandbox::Converse(CallClock& times, const std::stop_token& stop) {
  for (;;) {
    if (stop.stop_requested()) {
      return EndedBy(CallEnd::How::kCanceled, "the caller left");
    }
    if (times.IsOver()) {
      return EndedBy(CallEnd::How::kSilent, "the agent did not end its call");
    }
    agent::Frame frame;
    switch (link().Next(frame, times.next(), flag_)) {
      case AgentLink::Heard::kTime:
      case AgentLink::Heard::kFlag: break;
      case AgentLink::Heard::kDrained: times.Begin(); break;
      case AgentLink::Heard::kEnded: return EndOfStream(stop);
      case AgentLink::Heard::kViolation: return EndedBy(CallEnd::How::kViolation, link().violation());
      case AgentLink::Heard::kFrame:
        if (auto end = Take(frame)) {
          return std::move(*end);
        }
        break;
    }
  }
}

// The stream is over: what became of the container is for the engine to say.
CallEnd ContainerSandbox::EndOfStream(const std::stop_token& stop) {
  const http::Bounds bounds{.deadline = clock_.Steady() + kEndNoted, .stop = stop};
  CallEnd end = EndedBy(CallEnd::How::kLost, "the stream of a sandbox ended");
  for (;;) {
    auto answer = facts_.state->engine->Inspect(id_, bounds);
    const auto* container = std::get_if<ContainerState>(&answer);
    if (container == nullptr) {
      end.detail += "; inspecting it failed: " + std::get<EngineError>(answer).detail;
      return stop.stop_requested() ? EndedBy(CallEnd::How::kCanceled, "the caller left") : end;
    }
    if (container->status == ContainerState::Status::kExited || container->status == ContainerState::Status::kDead) {
      end.how = CallEnd::How::kContainerEnded;
      end.container = *container;
      return end;
    }
    if (stop.stop_requested()) {
      return EndedBy(CallEnd::How::kCanceled, "the caller left");
    }
    if (clock_.Steady() >= bounds.deadline) {
      end.detail += " although the container lives";
      return end;
    }
    // The flag is all that can end this wait early.
    os::WaitFor(flag_.fd(), os::Interest::kRead, flag_, clock_.Steady() + kLookAgain);
  }
}

}  // namespace plimsoll::docker
