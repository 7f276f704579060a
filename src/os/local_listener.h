#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "base/result.h"
#include "os/unique_fd.h"

namespace plimsoll::os {

// A folder of its own with mode 0700, named `<prefix>` and six more characters below the system's folder for temporary
// files; gone with what is in it when this is let go.
class ScratchFolder {
 public:
  // `prefix` is a plain word. Fault kInternal or kOverloaded.
  static base::Result<ScratchFolder> Create(const std::string& prefix);
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// A Unix socket that anyone who can reach its name may connect to (mode 0666): who can reach it is its folder's
// concern.
class LocalListener {
 public:
  // Fault kInternal when the name is longer than a socket's may be, or is taken.
  static base::Result<LocalListener> Create(const std::string& path);

  // The next connection, non-blocking; not open when none comes within `longest`.
  UniqueFd Accept(std::chrono::milliseconds longest);

 private:
  explicit LocalListener(UniqueFd socket) : socket_(std::move(socket)) {}
  UniqueFd socket_;
};

}  // namespace plimsoll::os
