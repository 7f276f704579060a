#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "frames/agent.h"
#include "os/wait.h"
#include "providers/docker/engine/engine.h"

namespace plimsoll::docker {

// The host's end of one agent's stream: sends frames, and cuts what comes back into authentic ones. The engine's
// multiplexing is undone here; what the agent writes on its stderr is nobody's output and is only counted. Blocking;
// one thread at a time.
class AgentLink {
 public:
  // The most an agent may write on its stderr in its life. More is an attempt to keep the host busy, and a violation.
  static constexpr std::size_t kMaxStderr = std::size_t{64} * 1024;

  // The control key is the first thing sent (providers-local.md 7.6). The clock must outlive the link.
  AgentLink(Attached attached, const frames::agent::Key& control, const base::Clock& clock);

  // Opens a channel in both directions.
  void Open(std::uint32_t channel, const frames::agent::Key& key);
  void Close(std::uint32_t channel);
  // Adds one frame to what is to be sent. Sends nothing yet.
  void Append(frames::agent::Type type, std::uint32_t channel, std::string_view body);

  enum class Heard {
    kFrame,      // an authentic frame
    kDrained,    // all that was appended has left; told once
    kTime,       // `until` came
    kFlag,       // the flag was raised
    kEnded,      // the stream is over
    kViolation,  // and will be for ever; `violation` says why
  };
  // Sends what is waiting and reads until there is something to tell. `frame` is set with kFrame; its body is valid
  // until the next call. Time and the flag are looked at first, so that a talkative agent cannot put them off.
  Heard Next(frames::agent::Frame& frame, base::SteadyTime until, const os::Flag& flag);

  const std::string& violation() const { return violation_; }
  // Bytes the agent wrote on its stderr.
  std::size_t stderr_bytes() const { return stderr_bytes_; }

 private:
  void SendSome();
  void ReceiveSome();
  // What there is to tell of what has been read; nothing while more is to be read for that.
  std::optional<Heard> Judge(frames::agent::Frame& frame);
  void Take(std::string_view bytes);
  bool drained() const { return sent_ == outbox_.size(); }

  const base::Clock& clock_;
  os::UniqueFd socket_;
  Demux demux_;
  frames::agent::Sender sender_{frames::agent::Direction::kFromHost};
  frames::agent::Receiver receiver_{frames::agent::Direction::kFromAgent};
  std::string outbox_;
  std::size_t sent_ = 0;
  bool drain_told_ = true;
  bool ended_ = false;
  std::size_t stderr_bytes_ = 0;
  std::string violation_;
};

}  // namespace plimsoll::docker
