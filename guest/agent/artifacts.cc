#include "guest/agent/artifacts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <optional>

namespace plimsoll::guest {
namespace {

std::string OwnName(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// Where an open file really lies; empty when the kernel cannot say.
std::string PlaceOf(int fd) {
  std::array<char, PATH_MAX> path;
  const ssize_t size = ::readlink(OwnName(fd).c_str(), path.data(), path.size());
  const bool is_whole = size > 0 && static_cast<std::size_t>(size) < path.size();
  return is_whole ? std::string(path.data(), static_cast<std::size_t>(size)) : std::string();
}

// The size of what is open when that is a regular file.
std::optional<std::uint64_t> SizeOfRegular(int fd) {
  struct stat status = {};
  const bool is_regular = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= 0;
  return is_regular ? std::optional(static_cast<std::uint64_t>(status.st_size)) : std::nullopt;
}

// First the file is held without being opened, which wakes no FIFO and no device; then what is held is judged; then
// that very file is opened for reading. Between the three no name is looked up again. O_NONBLOCK: a lease a guest holds
// is not waited for.
os::UniqueFd OpenBelow(const os::UniqueFd& directory, const std::string& place, const std::string& path) {
  const os::UniqueFd held(::openat(directory.get(), path.c_str(), O_PATH | O_CLOEXEC));
  if (!held.is_open() || !SizeOfRegular(held.get()) || !PlaceOf(held.get()).starts_with(place)) {
    return {};
  }
  return os::UniqueFd(::open(OwnName(held.get()).c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

}  // namespace

Capture::Capture(const os::UniqueFd& directory, const std::vector<std::string>& paths, std::uint64_t cap)
    : directory_(directory), place_(PlaceOf(directory.get())), paths_(paths), left_(cap) {
  // Without a place to compare with nothing is below it.
  place_ = place_.empty() || place_ == "/" ? place_ : place_ + "/";
}

bool Capture::Continue(Link& link, std::uint32_t channel, std::span<char> space) {
  while (link.HasRoom()) {
    if (file_.is_open()) {
      SayPiece(link, channel, space);
    } else if (was_truncated_ || place_.empty() || index_ == paths_.size()) {
      return true;
    } else {
      OpenNext();
    }
  }
  return false;
}

void Capture::OpenNext() {
  os::UniqueFd file = OpenBelow(directory_, place_, paths_[index_]);
  const auto size = file.is_open() ? SizeOfRegular(file.get()) : std::nullopt;
  if (!size) {
    ++index_;
    return;
  }
  if (*size > left_) {
    was_truncated_ = true;
    return;
  }
  left_ -= *size;
  unread_ = *size;
  file_ = std::move(file);
}

// A file is as long as it was when it was opened, or shorter when it has shrunk since.
void Capture::SayPiece(Link& link, std::uint32_t channel, std::span<char> space) {
  const std::size_t most = std::min({space.size(), frames::agent::kMaxPiece, static_cast<std::size_t>(unread_)});
  const ssize_t count = most == 0 ? 0 : ::read(file_.get(), space.data(), most);
  if (count < 0 && errno == EINTR) {
    return;
  }
  if (count < 0) {
    // What was said of it cannot be taken back, so nothing follows: a file is given whole or not at all.
    was_truncated_ = true;
    CloseFile();
    return;
  }
  const auto size = static_cast<std::size_t>(count);
  unread_ -= size;
  const bool last = unread_ == 0 || size == 0;
  std::string body;
  frames::agent::AppendArtifactBody({.index = index_, .last = last, .bytes = std::string_view(space.data(), size)},
                                    body);
  link.Say(frames::agent::Type::kArtifact, channel, body);
  if (last) {
    CloseFile();
  }
}

void Capture::CloseFile() {
  file_.Close();
  ++index_;
}

}  // namespace plimsoll::guest
