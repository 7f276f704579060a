#include "guest/agent/stream.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace plimsoll::guest {

std::uint64_t Stream::Allowed(const Sink& sink) const { return std::min(left_, sink.total_left); }

void Stream::Pump(const Sink& sink, std::span<char> space) {
  if (IsDone() || IsHeldBack(sink)) {
    return;
  }
  const std::size_t most = Allowed(sink) > 0 ? std::min(space.size(), frames::agent::kMaxPiece) : space.size();
  const ssize_t count = ::read(pipe_.get(), space.data(), std::min(most, remaining_.value_or(most)));
  if (count <= 0) {
    const bool nothing_yet = count < 0 && (errno == EAGAIN || errno == EINTR);
    if (!nothing_yet) {
      pipe_.Close();
    } else if (remaining_) {
      remaining_ = 0;  // somebody else took what was there
    }
    return;
  }
  const auto bytes = std::span<const char>(space).first(static_cast<std::size_t>(count));
  if (remaining_) {
    *remaining_ -= bytes.size();
  }
  Say(sink, bytes);
}

void Stream::Say(const Sink& sink, std::span<const char> bytes) {
  const auto kept = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), Allowed(sink))));
  was_cut_ = was_cut_ || kept.size() < bytes.size();
  if (kept.empty()) {
    return;
  }
  left_ -= kept.size();
  sink.total_left -= kept.size();
  std::string body;
  body.reserve(sizeof sink.step + kept.size());
  frames::agent::AppendOutputBody({.step = sink.step, .bytes = std::string_view(kept.data(), kept.size())}, body);
  sink.link.Say(type_, sink.channel, body);
}

void Stream::StopAtWhatIsThere() {
  int there = 0;
  if (pipe_.is_open() && !remaining_) {
    remaining_ = ::ioctl(pipe_.get(), FIONREAD, &there) == 0 ? static_cast<std::size_t>(std::max(there, 0)) : 0;
  }
}

void Stream::AddTo(Polls& polls, const Sink& sink) const {
  if (!IsDone() && !IsHeldBack(sink)) {
    polls.Add(pipe_.get(), POLLIN);
  }
}

}  // namespace plimsoll::guest
