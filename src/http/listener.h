#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "base/unique_function.h"
#include "http/connection.h"
#include "http/loop.h"

namespace plimsoll::http {

// Accepts on the first loop's thread and deals the connections out to all loops in turn. At the cap it leaves them in
// the kernel's queue until one closes. What accepting may meet and outlive, it waits out; when its socket listens no
// more it says so, once, and is closed.
class Listener {
 public:
  // Called on the first loop's thread; may be empty.
  using Lost = base::UniqueFunction<void(base::Fault)>;

  // Binds and listens. `host` is a name, an address, or empty for every interface.
  // Fault kUnavailable: `cannot listen on 127.0.0.1:80: permission denied`.
  static base::Result<std::unique_ptr<Listener>> Bind(const std::string& host, std::uint16_t port,
                                                      std::size_t max_connections,
                                                      std::vector<std::unique_ptr<Loop>>& loops,
                                                      const ConnectionSetup& setup, Lost lost);

  Listener(boost::asio::ip::tcp::acceptor acceptor, std::size_t max_connections,
           std::vector<std::unique_ptr<Loop>>& loops, const ConnectionSetup& setup, Lost lost);

  std::uint16_t port() const { return port_; }

  // The rest on the first loop's thread.
  void Accept();
  // A connection has closed.
  void Resume();
  void Close();

 private:
  enum class State { kIdle, kWaiting, kAtCap, kClosed };

  void Wait();
  void Pause();
  void AcceptAllWaiting();
  void Deal(int socket);
  void Lose(const boost::system::error_code& error);

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  const std::size_t max_connections_;
  std::vector<std::unique_ptr<Loop>>& loops_;
  const ConnectionSetup& setup_;
  std::uint16_t port_;
  std::size_t next_loop_ = 0;
  State state_ = State::kIdle;
  Lost lost_;
};

}  // namespace plimsoll::http
