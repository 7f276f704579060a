#include "providers/docker/agent_link.h"

#include <array>
#include <utility>

#include "os/socket_pair.h"

namespace plimsoll::docker {

namespace agent = frames::agent;

AgentLink::AgentLink(Attached attached, const agent::Key& control, const base::Clock& clock)
    : clock_(clock), socket_(std::move(attached.socket)) {
  const auto& key = control.bytes();
  for (const std::byte byte : key) {
    outbox_.push_back(static_cast<char>(byte));
  }
  drain_told_ = false;
  Open(agent::kControl, control);
  Take(attached.early);
}

void AgentLink::Open(std::uint32_t channel, const agent::Key& key) {
  sender_.Open(channel, key);
  receiver_.Open(channel, key);
}

void AgentLink::Close(std::uint32_t channel) {
  sender_.Close(channel);
  receiver_.Close(channel);
}

void AgentLink::Append(agent::Type type, std::uint32_t channel, std::string_view body) {
  if (drained()) {
    outbox_.clear();
    sent_ = 0;
  }
  sender_.Append(type, channel, body, outbox_);
  drain_told_ = false;
}

void AgentLink::SendSome() {
  while (!drained()) {
    const auto part = os::Send(socket_.get(), std::string_view(outbox_).substr(sent_));
    switch (part.state) {
      case os::Transfer::kMoved: sent_ += part.bytes; break;
      case os::Transfer::kWouldBlock: return;
      case os::Transfer::kClosed:
        // What the agent said before is still to be read, so that only the reading side decides that it is over.
        sent_ = outbox_.size();
        return;
    }
  }
}

void AgentLink::ReceiveSome() {
  std::array<char, std::size_t{64} * 1024> buffer;
  const auto part = os::Receive(socket_.get(), buffer);
  switch (part.state) {
    case os::Transfer::kMoved: Take({buffer.data(), part.bytes}); break;
    case os::Transfer::kWouldBlock: break;
    case os::Transfer::kClosed: ended_ = true; break;
  }
}

void AgentLink::Take(std::string_view bytes) {
  const auto fed = demux_.Feed(bytes, [this](const Demux::Piece& piece) {
    if (piece.stream == Demux::Piece::Stream::kStdout) {
      receiver_.Feed(piece.bytes);
    } else {
      stderr_bytes_ += piece.bytes.size();
    }
  });
  if (!fed) {
    violation_ = "the engine's stream is malformed";
  } else if (stderr_bytes_ > kMaxStderr) {
    violation_ = "the agent wrote too much on its stderr";
  }
}

std::optional<AgentLink::Heard> AgentLink::Judge(agent::Frame& frame) {
  if (!violation_.empty()) {
    return Heard::kViolation;
  }
  const auto next = receiver_.Next(frame);
  if (!next) {
    violation_ = std::string(base::TextOf(next.error()));
    return Heard::kViolation;
  }
  if (*next == agent::Receiver::State::kFrame) {
    return Heard::kFrame;
  }
  return ended_ ? std::optional(Heard::kEnded) : std::nullopt;
}

AgentLink::Heard AgentLink::Next(agent::Frame& frame, base::SteadyTime until, const os::Flag& flag) {
  for (;;) {
    if (const auto heard = Judge(frame)) {
      return *heard;
    }
    SendSome();
    if (drained() && !std::exchange(drain_told_, true)) {
      return Heard::kDrained;
    }
    switch (os::WaitFor(socket_.get(), drained() ? os::Interest::kRead : os::Interest::kReadWrite, flag, until)) {
      case os::Woken::kReady: ReceiveSome(); break;
      case os::Woken::kFlag: return Heard::kFlag;
      case os::Woken::kDeadline: return Heard::kTime;
    }
    if (clock_.Steady() >= until) {
      return Heard::kTime;
    }
  }
}

}  // namespace plimsoll::docker
