#include "http/testing_sockets.h"

#include <thread>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include "base/check.h"

namespace plimsoll::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

struct Socket::Impl {
  asio::io_context io;
  tcp::socket socket{io};

  // Waits for bytes or the end.
  bool Readable(std::chrono::milliseconds time) {
    bool ready = false;
    socket.async_wait(tcp::socket::wait_read, [&](boost::system::error_code error) { ready = !error; });
    io.restart();
    io.run_for(time);
    if (!ready) {
      boost::system::error_code ignored;
      socket.cancel(ignored);
      io.restart();
      io.run();
    }
    return ready;
  }
};

Socket::Socket(std::uint16_t port, const std::string& host) : impl_(std::make_unique<Impl>()) {
  boost::system::error_code error;
  impl_->socket.connect({asio::ip::make_address(host), port}, error);
  PLIMSOLL_CHECK(!error);
}

Socket::~Socket() = default;

void Socket::Send(std::string_view bytes) {
  boost::system::error_code ignored;
  asio::write(impl_->socket, asio::const_buffer(bytes.data(), bytes.size()), ignored);
}

std::string Socket::ReadSome() {
  if (!impl_->Readable(5s)) {
    return "";
  }
  std::string bytes(64 * 1024, '\0');
  boost::system::error_code ignored;
  bytes.resize(impl_->socket.read_some(asio::buffer(bytes), ignored));
  return bytes;
}

std::string Socket::ReadUntil(std::string_view end) {
  std::string all;
  while (all.find(end) == std::string::npos) {
    const std::string some = ReadSome();
    if (some.empty()) {
      break;
    }
    all += some;
  }
  return all;
}

std::string Socket::ReadToEnd() {
  std::string all;
  for (std::string some = ReadSome(); !some.empty(); some = ReadSome()) {
    all += some;
  }
  return all;
}

bool Socket::ReadableWithin(std::chrono::milliseconds time) { return impl_->Readable(time); }

void Socket::Close() {
  boost::system::error_code ignored;
  static_cast<void>(impl_->socket.close(ignored));
}

int Socket::descriptor() const { return impl_->socket.native_handle(); }

bool CanConnect(std::uint16_t port, const std::string& host) {
  asio::io_context io;
  tcp::socket socket(io);
  boost::system::error_code error;
  socket.connect({asio::ip::make_address(host), port}, error);
  return !error;
}

bool Eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

}  // namespace plimsoll::http
