#include "os/socket_pair.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "os/errno_fault.h"

namespace plimsoll::os {
namespace {

// Every error of a connected local stream other than "not now" means that it can no longer be used.
Transferred Judge(ssize_t moved) {
  if (moved > 0) {
    return {Transfer::kMoved, static_cast<std::size_t>(moved)};
  }
  if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    return {Transfer::kWouldBlock};
  }
  return {Transfer::kClosed};
}

template <typename Call>
ssize_t Uninterrupted(Call call) {
  ssize_t moved = call();
  while (moved < 0 && errno == EINTR) {
    moved = call();
  }
  return moved;
}

}  // namespace

base::Result<SocketPair> MakeSocketPair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return ErrnoFault("socketpair", errno);
  }
  SocketPair pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
  // The flag belongs to the open socket, not to the pair: the child's end stays blocking.
  if (::fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK) != 0) {
    return ErrnoFault("fcntl O_NONBLOCK", errno);
  }
  return pair;
}

Transferred Receive(int socket, std::span<char> buffer) {
  return Judge(Uninterrupted([&] { return ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT); }));
}

Transfer Peek(int socket) {
  std::array<char, 1> byte;
  return Judge(Uninterrupted([&] { return ::recv(socket, byte.data(), byte.size(), MSG_DONTWAIT | MSG_PEEK); })).state;
}

Transferred Send(int socket, std::string_view bytes) {
  return Judge(Uninterrupted([&] { return ::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL); }));
}

}  // namespace plimsoll::os
