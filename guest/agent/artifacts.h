#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "guest/agent/link.h"
#include "os/unique_fd.h"

namespace plimsoll::guest {

// Reads the files a project asked for, in the order it asked, and says them piece by piece. What is missing, no regular
// file, not readable or not below the directory is passed over. The first that does not fit under the cap ends the
// capture. Guests may be running beside it: what counts is the file that was really opened, never its name (AGT-6).
class Capture {
 public:
  // `directory` was opened before a guest ran. `paths` must outlive the capture.
  Capture(const os::UniqueFd& directory, const std::vector<std::string>& paths, std::uint64_t cap);

  // Says what the link has room for. True once all is said.
  bool Continue(Link& link, std::uint32_t channel, std::span<char> space);

  // Whether a file was left out because it did not fit.
  bool was_truncated() const { return was_truncated_; }

 private:
  // Opens the file at index_ when it is to be captured.
  void OpenNext();
  void SayPiece(Link& link, std::uint32_t channel, std::span<char> space);
  void CloseFile();

  const os::UniqueFd& directory_;
  std::string place_;  // the directory's real path with a slash at its end
  const std::vector<std::string>& paths_;
  std::uint64_t left_;
  std::uint32_t index_ = 0;
  os::UniqueFd file_;
  std::uint64_t unread_ = 0;
  bool was_truncated_ = false;
};

}  // namespace plimsoll::guest
