#include "http/listener.h"

#include <chrono>
#include <utility>

#include "http/sockets.h"

namespace plimsoll::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds kPauseAfterFailure{100};  // when the process has no descriptor left

// The addresses to try, best first: IPv4 before IPv6 for a name, both families at once for every interface.
std::vector<tcp::endpoint> Candidates(asio::io_context& io, const std::string& host, std::uint16_t port, Error& error) {
  if (host.empty()) {
    return {{asio::ip::address_v6::any(), port}, {asio::ip::address_v4::any(), port}};
  }
  const auto address = asio::ip::make_address(host, error);
  if (!error) {
    return {{address, port}};
  }
  std::vector<tcp::endpoint> v4;
  std::vector<tcp::endpoint> v6;
  for (const auto& entry : tcp::resolver(io).resolve(host, std::to_string(port), tcp::resolver::passive, error)) {
    (entry.endpoint().address().is_v4() ? v4 : v6).push_back(entry.endpoint());
  }
  v4.insert(v4.end(), v6.begin(), v6.end());
  return v4;
}

// Whether accepting will never work again, as accept(2) says: the descriptor is not a listening socket. Everything else
// is about one connection, or about what the machine lacks for now.
bool IsPermanent(const Error& error) {
  return error == boost::system::errc::bad_file_descriptor || error == boost::system::errc::invalid_argument ||
         error == boost::system::errc::not_a_socket || error == boost::system::errc::operation_not_supported;
}

// The system's reason, as the end of a sentence.
std::string Reason(const Error& error) {
  std::string reason = error.message();
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z') {
    reason[0] = static_cast<char>(reason[0] - 'A' + 'a');
  }
  return reason;
}

base::Fault CannotListen(const std::string& host, std::uint16_t port, const Error& error) {
  const bool is_v6 = host.find(':') != std::string::npos;
  return {.kind = base::FaultKind::kUnavailable,
          .detail = "cannot listen on " + (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port) + ": " +
                    Reason(error)};
}

}  // namespace

base::Result<std::unique_ptr<Listener>> Listener::Bind(const std::string& host, std::uint16_t port,
                                                       std::size_t max_connections,
                                                       std::vector<std::unique_ptr<Loop>>& loops,
                                                       const ConnectionSetup& setup, Lost lost) {
  asio::io_context& io = loops.front()->io();
  Error error;
  for (const tcp::endpoint& endpoint : Candidates(io, host, port, error)) {
    const int socket = OpenListener(endpoint, error);
    if (socket >= 0) {
      tcp::acceptor acceptor(io);
      acceptor.assign(endpoint.protocol(), socket);
      return std::make_unique<Listener>(std::move(acceptor), max_connections, loops, setup, std::move(lost));
    }
    if (error != boost::system::errc::address_family_not_supported) {
      break;
    }
  }
  return CannotListen(host, port, error);
}

Listener::Listener(tcp::acceptor acceptor, std::size_t max_connections, std::vector<std::unique_ptr<Loop>>& loops,
                   const ConnectionSetup& setup, Lost lost)
    : acceptor_(std::move(acceptor)),
      pause_(loops.front()->io()),
      max_connections_(max_connections),
      loops_(loops),
      setup_(setup),
      port_(acceptor_.local_endpoint().port()),
      lost_(std::move(lost)) {}

void Listener::Accept() {
  if (state_ == State::kIdle) {
    AcceptAllWaiting();
  }
}

void Listener::Resume() {
  if (state_ == State::kAtCap) {
    AcceptAllWaiting();
  }
}

void Listener::Close() {
  state_ = State::kClosed;
  Error ignored;
  pause_.cancel();
  static_cast<void>(acceptor_.close(ignored));
}

void Listener::Wait() {
  state_ = State::kWaiting;
  acceptor_.async_wait(tcp::acceptor::wait_read, [this](Error error) {
    if (state_ != State::kWaiting) {
      return;
    }
    if (error) {
      Lose(error);
    } else {
      AcceptAllWaiting();
    }
  });
}

void Listener::Pause() {
  state_ = State::kWaiting;
  pause_.expires_after(kPauseAfterFailure);
  pause_.async_wait([this](Error error) {
    if (!error && state_ == State::kWaiting) {
      AcceptAllWaiting();
    }
  });
}

void Listener::AcceptAllWaiting() {
  while (true) {
    if (max_connections_ != 0 && setup_.count.Now() >= max_connections_) {
      state_ = State::kAtCap;
      return;
    }
    Error error;
    const int socket = AcceptWaiting(acceptor_.native_handle(), error);
    if (socket >= 0) {
      Deal(socket);
    } else if (error == boost::system::errc::operation_would_block ||
               error == boost::system::errc::resource_unavailable_try_again) {
      Wait();
      return;
    } else if (IsPermanent(error)) {
      Lose(error);
      return;
    } else if (error != boost::system::errc::connection_aborted && error != boost::system::errc::interrupted) {
      Pause();
      return;
    }
  }
}

void Listener::Lose(const Error& error) {
  Close();
  if (lost_) {
    lost_({.kind = base::FaultKind::kUnavailable,
           .detail = "the listener on port " + std::to_string(port_) + " is lost: " + Reason(error)});
  }
}

void Listener::Deal(int socket) {
  setup_.count.Increase();
  Loop& loop = *loops_[next_loop_];
  next_loop_ = (next_loop_ + 1) % loops_.size();
  tcp::socket accepted(loop.io());
  Error ignored;  // assigning fails only when the loop's epoll is out of descriptors; reading then fails at once
  static_cast<void>(accepted.assign(acceptor_.local_endpoint(ignored).protocol(), socket, ignored));
  loop.Post([&loop, &setup = setup_, accepted = std::move(accepted)]() mutable {
    ServeConnection(loop, std::move(accepted), setup);
  });
}

}  // namespace plimsoll::http
