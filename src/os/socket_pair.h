#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace plimsoll::os {

// Two connected ends of a local byte stream. `ours` never blocks; `theirs` does, for a child that has one stream only.
// Both are close-on-exec: a child gets its end by being passed it (os/child.h).
struct SocketPair {
  UniqueFd ours;
  UniqueFd theirs;
};
base::Result<SocketPair> MakeSocketPair();

// What came of one attempt to move bytes over a non-blocking socket.
enum class Transfer {
  kMoved,       // `bytes` were moved, at least one
  kWouldBlock,  // nothing now; wait for the poller
  kClosed,      // the other end is gone, whatever the cause
};
struct Transferred {
  Transfer state;
  std::size_t bytes = 0;
};

// Receives at most buffer.size() bytes, which must not be 0.
Transferred Receive(int socket, std::span<char> buffer);
// As Receive with one byte, but leaves it where it is: whether the other end has spoken or is gone.
Transfer Peek(int socket);
// Sends a prefix of `bytes`, which must not be empty. Never raises SIGPIPE.
Transferred Send(int socket, std::string_view bytes);

}  // namespace plimsoll::os
