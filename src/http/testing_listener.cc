#include "http/testing_listener.h"

#include <unistd.h>

#include <filesystem>
#include <list>

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include "base/check.h"

namespace plimsoll::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using Local = asio::local::stream_protocol;

namespace {

template <typename Acceptor>
std::string ServeOne(Acceptor& acceptor, const std::string& answer) {
  auto socket = acceptor.accept();
  std::string request;
  boost::system::error_code error;
  asio::read_until(socket, asio::dynamic_buffer(request), "\r\n\r\n", error);
  asio::write(socket, asio::buffer(answer), error);
  // Closing with bytes unread would reset the connection and could take the answer along.
  static_cast<void>(socket.shutdown(asio::socket_base::shutdown_send, error));
  std::string rest(64 * 1024, '\0');
  for (int reads = 0; reads < 20 && socket.read_some(asio::buffer(rest), error) > 0; ++reads) {
  }
  return request;
}

}  // namespace

struct TestListener::Impl {
  asio::io_context io;
  tcp::acceptor acceptor{io};
};

TestListener::TestListener(int backlog) : impl_(std::make_unique<Impl>()) {
  impl_->acceptor.open(tcp::v4());
  impl_->acceptor.bind({asio::ip::address_v4::loopback(), 0});
  impl_->acceptor.listen(backlog);
}

TestListener::~TestListener() = default;

std::uint16_t TestListener::port() const { return impl_->acceptor.local_endpoint().port(); }

std::string TestListener::Serve(const std::string& answer) { return ServeOne(impl_->acceptor, answer); }

std::shared_ptr<void> TestListener::Fill() {
  struct Filled {
    asio::io_context io;
    std::list<tcp::socket> sockets;
  };
  auto filled = std::make_shared<Filled>();
  for (int i = 0; i < 8; ++i) {
    tcp::socket& socket = filled->sockets.emplace_back(filled->io);
    socket.async_connect({asio::ip::address_v4::loopback(), port()}, [](boost::system::error_code) {});
  }
  filled->io.run_for(std::chrono::milliseconds(50));
  return filled;
}

struct TestUnixListener::Impl {
  std::string path = testing::TempDir() + "plimsoll-http-" + std::to_string(::getpid()) + ".sock";
  asio::io_context io;
  Local::acceptor acceptor{io, Local::endpoint(path)};
};

TestUnixListener::TestUnixListener() : impl_(std::make_unique<Impl>()) {}

TestUnixListener::~TestUnixListener() {
  std::error_code ignored;
  std::filesystem::remove(impl_->path, ignored);
}

const std::string& TestUnixListener::path() const { return impl_->path; }

std::string TestUnixListener::Serve(const std::string& answer) { return ServeOne(impl_->acceptor, answer); }

std::string TestUnixListener::ServeAndEcho(const std::string& answer) {
  auto socket = impl_->acceptor.accept();
  std::string request;
  boost::system::error_code error;
  asio::read_until(socket, asio::dynamic_buffer(request), "\r\n\r\n", error);
  asio::write(socket, asio::buffer(answer), error);
  std::string heard(64 * 1024, '\0');
  for (std::size_t size = 1; size > 0;) {
    size = socket.read_some(asio::buffer(heard), error);
    asio::write(socket, asio::buffer(heard.data(), size), error);
  }
  return request;
}

}  // namespace plimsoll::http
