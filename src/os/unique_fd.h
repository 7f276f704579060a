#pragma once

#include <utility>

namespace plimsoll::os {

// Owns one file descriptor and closes it once. It has no conversion to int or bool: a borrowed number is asked for by
// name. Not thread-safe.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~UniqueFd() { Close(); }

  // The number, borrowed; -1 when nothing is owned.
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

  // Gives up what is owned, open, to whoever took its number; for C interfaces that close it themselves.
  int Disown() { return std::exchange(fd_, -1); }

  // Closes what is owned; later calls do nothing.
  void Close();

 private:
  int fd_ = -1;
};

// Whether this process has anything open under this number.
bool IsOpenDescriptor(int fd);

}  // namespace plimsoll::os
