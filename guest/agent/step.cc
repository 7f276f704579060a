#include "guest/agent/step.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace plimsoll::guest {

using frames::agent::Type;

Step::Step(Started started, std::uint64_t stream_cap)
    : pid_(started.pid),
      input_(std::move(started.input)),
      output_(Type::kStdout, std::move(started.output), stream_cap),
      errors_(Type::kStderr, std::move(started.errors), stream_cap) {}

void Step::SetInput(std::string code) {
  code_ = std::move(code);
  is_fed_ = true;
  WriteInput();
}

void Step::WriteInput() {
  while (is_fed_ && input_.is_open()) {
    if (written_ == code_.size()) {
      input_.Close();
      return;
    }
    const ssize_t count = ::write(input_.get(), code_.data() + written_, code_.size() - written_);
    if (count >= 0) {
      written_ += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EINTR) {
      return;
    } else {
      input_.Close();  // the guest reads no more of it
    }
  }
}

void Step::Pump(const Sink& sink, std::span<char> space) {
  WriteInput();
  output_.Pump(sink, space);
  errors_.Pump(sink, space);
}

void Step::End() {
  has_ended_ = true;
  input_.Close();
  output_.StopAtWhatIsThere();
  errors_.StopAtWhatIsThere();
}

void Step::AddTo(Polls& polls, const Sink& sink) const {
  if (is_fed_) {
    polls.Add(input_.get(), POLLOUT);
  }
  output_.AddTo(polls, sink);
  errors_.AddTo(polls, sink);
}

}  // namespace plimsoll::guest
