#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "http/sockets.h"

namespace plimsoll::http {

namespace {

boost::system::error_code LastError() { return {errno, boost::system::system_category()}; }

// SAFETY: setsockopt reads the int before it returns.
int Switch(int socket, int level, int option, int value) {
  return ::setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

int OpenListener(const boost::asio::ip::tcp::endpoint& endpoint, boost::system::error_code& error) {
  error = {};
  const int socket = ::socket(endpoint.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
  if (socket < 0) {
    error = LastError();
    return -1;
  }
  const bool is_v6 = endpoint.address().is_v6();
  const int v6_only = is_v6 && !endpoint.address().is_unspecified() ? 1 : 0;
  // SAFETY: `endpoint` owns the address, `size` bytes long, until after bind has read it.
  if (Switch(socket, SOL_SOCKET, SO_REUSEADDR, 1) != 0 ||
      (is_v6 && Switch(socket, IPPROTO_IPV6, IPV6_V6ONLY, v6_only) != 0) ||
      ::bind(socket, endpoint.data(), static_cast<socklen_t>(endpoint.size())) != 0 ||
      ::listen(socket, SOMAXCONN) != 0) {
    error = LastError();
    static_cast<void>(::close(socket));
    return -1;
  }
  return socket;
}

int AcceptWaiting(int listener, boost::system::error_code& error) {
  error = {};
  // SAFETY: null means that the peer's address is not wanted.
  const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket < 0) {
    error = LastError();
    return -1;
  }
  static_cast<void>(Switch(socket, IPPROTO_TCP, TCP_NODELAY, 1));  // a delay, not an error, without it
  return socket;
}

int OpenStream(int family, boost::system::error_code& error) {
  error = {};
  const int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) {
    error = LastError();
  } else if (family != AF_UNIX) {
    static_cast<void>(Switch(socket, IPPROTO_TCP, TCP_NODELAY, 1));
  }
  return socket;
}

bool PeerHasClosed(int socket) {
  char byte = 0;
  // SAFETY: recv writes at most the one byte that `byte` has.
  const ssize_t size = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace plimsoll::http
