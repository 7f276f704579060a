#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include "http/handler.h"
#include "http/limits.h"
#include "http/loop.h"

namespace plimsoll::http {

// What all connections of a listener share.
struct ConnectionSetup {
  Handler& handler;
  const Limits& limits;
  ConnectionCount& count;
  boost::asio::ssl::context* tls = nullptr;  // null: cleartext
};

// Serves one accepted connection, already counted, on `loop`, on whose thread this is called. The loop holds it until
// it closes, which takes it off the count. `setup` and what it refers to must outlive the loop's thread.
void ServeConnection(Loop& loop, boost::asio::ip::tcp::socket socket, const ConnectionSetup& setup);

}  // namespace plimsoll::http
