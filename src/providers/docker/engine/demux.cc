#include <algorithm>

#include "providers/docker/engine/engine.h"

namespace plimsoll::docker {
namespace {

constexpr std::size_t kHead = 8;

std::uint32_t BigEndian(std::string_view four) {
  std::uint32_t value = 0;
  for (const char c : four) {
    value = (value << 8U) | static_cast<unsigned char>(c);
  }
  return value;
}

}  // namespace

base::Status Demux::Feed(std::string_view bytes, const std::function<void(const Piece&)>& take) {
  while (!stuck_ && !bytes.empty()) {
    if (left_ > 0) {
      const std::size_t size = std::min<std::size_t>(left_, bytes.size());
      take({.stream = stream_, .bytes = bytes.substr(0, size)});
      bytes.remove_prefix(size);
      left_ -= static_cast<std::uint32_t>(size);
      continue;
    }
    const std::size_t size = std::min(kHead - head_.size(), bytes.size());
    head_.append(bytes.substr(0, size));
    bytes.remove_prefix(size);
    if (head_.size() < kHead) {
      break;
    }
    // Stream 0 is stdin and 3 an error of the engine's own: neither has a place on a stream that we attached.
    const bool known = head_[0] == 1 || head_[0] == 2;
    if (!known || head_[1] != 0 || head_[2] != 0 || head_[3] != 0) {
      stuck_ = true;
      break;
    }
    stream_ = head_[0] == 1 ? Piece::Stream::kStdout : Piece::Stream::kStderr;
    left_ = BigEndian(std::string_view(head_).substr(4));
    head_.clear();
  }
  if (stuck_) {
    return base::Fault{base::FaultKind::kInternal, "the attached stream holds a frame of no known form"};
  }
  return base::Ok();
}

}  // namespace plimsoll::docker
