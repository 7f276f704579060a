#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "frames/agent.h"
#include "guest/agent/link.h"
#include "guest/agent/polls.h"
#include "os/unique_fd.h"

namespace plimsoll::guest {

// Where the output of one step goes, and how much of it.
struct Sink {
  Link& link;
  std::uint32_t channel;
  std::uint32_t step;
  std::uint64_t& total_left;  // of all steps together
};

// What a guest writes to one of its two streams. The first bytes up to the cap are said; the rest is read and dropped,
// so that the guest is neither blocked nor ended by it. While the host is slow a stream under its cap is left unread.
class Stream {
 public:
  Stream(frames::agent::Type type, os::UniqueFd pipe, std::uint64_t cap)
      : type_(type), pipe_(std::move(pipe)), left_(cap) {}

  // Moves at most one read of `space`.
  void Pump(const Sink& sink, std::span<char> space);
  // The step is over: what is in the pipe at this moment still belongs to it, and nothing later. Whoever holds the
  // other end is not waited for.
  void StopAtWhatIsThere();
  // True once everything that belongs to the step was moved.
  bool IsDone() const { return !pipe_.is_open() || remaining_ == std::size_t{0}; }
  // Whether bytes were dropped.
  bool was_cut() const { return was_cut_; }

  // The pipe of a stream that is done, -1 when all its other ends are closed. What comes later is to be dropped: a
  // process that outlives its step is neither blocked nor ended by a broken pipe.
  os::UniqueFd TakePipe() { return std::move(pipe_); }

  void AddTo(Polls& polls, const Sink& sink) const;

 private:
  std::uint64_t Allowed(const Sink& sink) const;
  bool IsHeldBack(const Sink& sink) const { return Allowed(sink) > 0 && !sink.link.HasRoom(); }
  void Say(const Sink& sink, std::span<const char> bytes);

  frames::agent::Type type_;
  os::UniqueFd pipe_;
  std::uint64_t left_;
  std::optional<std::size_t> remaining_;
  bool was_cut_ = false;
};

}  // namespace plimsoll::guest
