#include "providers/docker/engine/testing/socket_engine.h"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <filesystem>
#include <future>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "base/guarded.h"

namespace plimsoll::docker {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;
using Error = boost::system::error_code;

namespace {

std::size_t LengthIn(const std::string& head) {
  constexpr std::string_view kField = "content-length: ";
  const std::size_t at = head.find(kField);
  std::size_t length = 0;
  if (at != std::string::npos) {
    std::from_chars(head.data() + at + kField.size(), head.data() + head.size(), length);
  }
  return length;
}

}  // namespace

struct SocketEngine::Impl {
  // One connection; lives in the handlers of its operations.
  struct Session : std::enable_shared_from_this<Session> {
    Session(Impl& owner, Local::socket accepted)
        : impl(owner), socket(std::move(accepted)), timer(socket.get_executor()) {}

    void Read() {
      asio::async_read_until(socket, asio::dynamic_buffer(in), "\r\n\r\n",
                             [self = shared_from_this()](Error error, std::size_t size) {
                               if (!error) {
                                 self->timer.cancel();
                                 self->ReadBody(size);
                               }
                             });
    }

    void ReadBody(std::size_t head_size) {
      const std::string head = in.substr(0, head_size);
      in.erase(0, head_size);
      const std::size_t length = LengthIn(head);
      const std::size_t missing = length > in.size() ? length - in.size() : 0;
      asio::async_read(socket, asio::dynamic_buffer(in), asio::transfer_exactly(missing),
                       [self = shared_from_this(), head, length](Error error, std::size_t) {
                         if (!error) {
                           Heard heard{.line = head.substr(0, head.find('\r')), .body = self->in.substr(0, length)};
                           self->in.erase(0, length);
                           self->React(heard);
                         }
                       });
    }

    void React(const Heard& heard) {
      impl.requests.Lock()->push_back(heard);
      reaction = impl.react(heard);
      sent = 0;
      Send();
    }

    void Send() {
      const std::size_t size = reaction.each_byte.count() > 0 ? 1 : reaction.bytes.size();
      if (sent >= reaction.bytes.size()) {
        Finish();
        return;
      }
      asio::async_write(socket, asio::buffer(reaction.bytes.data() + sent, size),
                        [self = shared_from_this()](Error error, std::size_t written) {
                          self->sent += written;
                          if (error) {
                            return;
                          }
                          self->timer.expires_after(self->reaction.each_byte);
                          self->timer.async_wait([self](Error) { self->Send(); });
                        });
    }

    void Finish() {
      if (reaction.then == Reaction::Then::kClose) {
        Error ignored;
        static_cast<void>(socket.shutdown(Local::socket::shutdown_both, ignored));
        Close();
        return;
      }
      Read();
    }

    void Close() {
      Error ignored;
      static_cast<void>(socket.close(ignored));
      timer.cancel();
    }

    Impl& impl;
    Local::socket socket;
    asio::steady_timer timer;
    std::string in;
    Reaction reaction;
    std::size_t sent = 0;
  };

  explicit Impl(std::function<Reaction(const Heard&)> how) : react(std::move(how)) {
    Accept();
    thread = std::jthread([this] { io.run(); });
  }
  ~Impl() {
    io.stop();
    thread.join();
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }

  void Accept() {
    acceptor.async_accept([this](Error error, Local::socket socket) {
      if (error) {
        return;
      }
      ++connections;
      const auto session = std::make_shared<Session>(*this, std::move(socket));
      sessions.insert(session);
      session->Read();
      Accept();
    });
  }

  static std::string FreshPath() {
    static std::atomic<int> count = 0;
    return testing::TempDir() + "plimsoll-engine-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
  }

  const std::function<Reaction(const Heard&)> react;
  const std::string path = FreshPath();
  asio::io_context io;
  Local::acceptor acceptor{io, Local::endpoint(path)};
  std::set<std::shared_ptr<Session>> sessions;
  std::atomic<int> connections = 0;
  mutable base::Guarded<std::vector<Heard>> requests;
  std::jthread thread;
};

SocketEngine::SocketEngine(std::function<Reaction(const Heard&)> react)
    : impl_(std::make_unique<Impl>(std::move(react))) {}

SocketEngine::~SocketEngine() = default;

const std::string& SocketEngine::path() const { return impl_->path; }

int SocketEngine::connections() const { return impl_->connections; }

std::vector<Heard> SocketEngine::requests() const { return *impl_->requests.Lock(); }

void SocketEngine::CloseAll() {
  std::promise<void> done;
  asio::post(impl_->io, [&] {
    for (const auto& session : impl_->sessions) {
      session->Close();
    }
    done.set_value();
  });
  done.get_future().wait();
}

std::string HttpAnswer(int status, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) +
         " X\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace plimsoll::docker
