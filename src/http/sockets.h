#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

namespace plimsoll::http {

// Listening and accepting with sockets that are close-on-exec from birth, which Asio's own are not: a child process of
// the daemon must never inherit a client's connection (HTTP-8). The descriptors are the caller's to wrap at once; -1
// and `error` on failure.

// A socket bound to `endpoint` and listening. IPv6 means IPv6 alone, except for `::`, which takes IPv4 as well.
int OpenListener(const boost::asio::ip::tcp::endpoint& endpoint, boost::system::error_code& error);

// The next waiting connection, non-blocking and without Nagle's delay. `would_block` when none waits.
int AcceptWaiting(int listener, boost::system::error_code& error);

// An unconnected, non-blocking stream socket of a family such as AF_INET or AF_UNIX; without Nagle's delay.
int OpenStream(int family, boost::system::error_code& error);

// Whether a connected socket has reached the end of what its peer sent, or is broken. Takes no byte and does not wait.
bool PeerHasClosed(int socket);

}  // namespace plimsoll::http
