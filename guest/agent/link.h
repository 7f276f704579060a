#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "frames/agent.h"
#include "guest/agent/polls.h"
#include "os/unique_fd.h"

namespace plimsoll::guest {

// The agent's end of the stream to the host. What is said waits in a bounded buffer when the host is slow: nothing is
// dropped and nothing blocks (AGT-4).
class Link {
 public:
  Link(os::UniqueFd from_host, os::UniqueFd to_host);

  // A channel that is open already aborts.
  void Open(std::uint32_t channel, const frames::agent::Key& key);
  void Close(std::uint32_t channel);

  // Takes in what has come. False when the host has closed its end.
  enum class Heard { kStillThere, kGone };
  Heard Hear();
  // The next frame heard. As Receiver::Next.
  base::Result<frames::agent::Receiver::State> Next(frames::agent::Frame& frame) { return receiver_.Next(frame); }

  // Puts one frame into the buffer.
  void Say(frames::agent::Type type, std::uint32_t channel, std::string_view body);
  // Whether a guest's bytes may be said now. Whoever says them without asking makes the buffer grow past its bound.
  bool HasRoom() const { return waiting_.size() - written_ < kRoom; }
  bool IsEmpty() const { return waiting_.empty(); }
  // Writes what the host takes. kGone when it takes no more for good.
  Heard Flush();

  void AddTo(Polls& polls) const;

 private:
  // A host that asks faster than it reads is heard again when it has read.
  bool Listens() const { return waiting_.size() - written_ < 2 * kRoom; }

  static constexpr std::size_t kRoom = std::size_t{256} * 1024;

  os::UniqueFd from_host_;
  os::UniqueFd to_host_;
  frames::agent::Receiver receiver_{frames::agent::Direction::kFromHost};
  frames::agent::Sender sender_{frames::agent::Direction::kFromAgent};
  std::string waiting_;
  std::size_t written_ = 0;
};

}  // namespace plimsoll::guest
