#include "providers/wasm/worker/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "providers/wasm/worker/exit_status.h"

namespace plimsoll::wasm {

static_assert(kMostOutput == frames::kMaxOutput);

Output::Output(int socket) : socket_(socket) { frame_.reserve(frames::kHeaderSize + frames::kMaxOutput); }

void Output::BeginRun() {
  std::fill(std::begin(sent_), std::end(sent_), 0);
  std::fill(std::begin(truncated_), std::end(truncated_), false);
}

void Output::Write(Stream stream, std::string_view bytes) {
  const auto index = static_cast<std::size_t>(stream);
  const std::size_t kept = std::min(bytes.size(), frames::kMaxOutput - sent_[index]);
  truncated_[index] = truncated_[index] || kept < bytes.size();
  if (kept == 0) {
    return;
  }
  sent_[index] += kept;
  frames::Append(stream == Stream::kStdout ? frames::Type::kStdout : frames::Type::kStderr, bytes.substr(0, kept),
                 frame_);
  Flush();
}

void Output::SendReady() {
  frames::Append(frames::Type::kReady, "", frame_);
  Flush();
}

void Output::SendEnded(const frames::Ended& ended) {
  frames::AppendEnded(ended, frame_);
  Flush();
}

void Output::Flush() {
  std::string_view rest = frame_;
  while (!rest.empty()) {
    const ssize_t written = ::write(socket_, rest.data(), rest.size());
    if (written > 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      _exit(static_cast<int>(ExitStatus::kHostGone));
    }
  }
  frame_.clear();
}

}  // namespace plimsoll::wasm
