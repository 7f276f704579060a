#include "guest/agent/link.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace plimsoll::guest {
namespace {

constexpr std::size_t kReadSize = std::size_t{64} * 1024;

bool MayComeLater(int error) { return error == EAGAIN || error == EINTR; }

}  // namespace

Link::Link(os::UniqueFd from_host, os::UniqueFd to_host)
    : from_host_(std::move(from_host)), to_host_(std::move(to_host)) {}

void Link::Open(std::uint32_t channel, const frames::agent::Key& key) {
  receiver_.Open(channel, key);
  sender_.Open(channel, key);
}

void Link::Close(std::uint32_t channel) {
  receiver_.Close(channel);
  sender_.Close(channel);
}

Link::Heard Link::Hear() {
  if (!Listens()) {
    return Heard::kStillThere;
  }
  std::array<char, kReadSize> bytes;
  const ssize_t count = ::read(from_host_.get(), bytes.data(), bytes.size());
  if (count <= 0) {
    return count < 0 && MayComeLater(errno) ? Heard::kStillThere : Heard::kGone;
  }
  receiver_.Feed(std::string_view(bytes.data(), static_cast<std::size_t>(count)));
  // A key may have been among them.
  ::explicit_bzero(bytes.data(), static_cast<std::size_t>(count));
  return Heard::kStillThere;
}

void Link::Say(frames::agent::Type type, std::uint32_t channel, std::string_view body) {
  sender_.Append(type, channel, body, waiting_);
}

Link::Heard Link::Flush() {
  while (written_ < waiting_.size()) {
    const ssize_t count = ::write(to_host_.get(), waiting_.data() + written_, waiting_.size() - written_);
    if (count < 0) {
      waiting_.erase(0, std::exchange(written_, 0));
      return MayComeLater(errno) ? Heard::kStillThere : Heard::kGone;
    }
    written_ += static_cast<std::size_t>(count);
  }
  waiting_.clear();
  written_ = 0;
  return Heard::kStillThere;
}

void Link::AddTo(Polls& polls) const {
  if (Listens()) {
    polls.Add(from_host_.get(), POLLIN);
  }
  if (!IsEmpty()) {
    polls.Add(to_host_.get(), POLLOUT);
  }
}

}  // namespace plimsoll::guest
