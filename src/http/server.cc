#include "http/server.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "http/connection.h"
#include "http/listener.h"
#include "http/loop.h"
#include "http/tls.h"

namespace plimsoll::http {

namespace {

// Threads are the loops'. The members are in the order of their need: the loops are stopped first, so that nothing uses
// the rest any more.
class AsioServer final : public Server {
 public:
  AsioServer(ServerOptions options, Handler& handler, std::optional<boost::asio::ssl::context> tls)
      : options_(std::move(options)),
        tls_(std::move(tls)),
        count_([this] { Resume(); }),
        setup_{.handler = handler, .limits = options_.limits, .count = count_, .tls = tls_ ? &*tls_ : nullptr} {
    for (unsigned i = 0; i < std::max(1U, options_.threads); ++i) {
      loops_.push_back(std::make_unique<Loop>());
    }
  }

  ~AsioServer() override {
    for (const auto& loop : loops_) {
      loop->Stop();
    }
  }

  base::Status Listen() {
    auto listener = Listener::Bind(options_.host, options_.port, options_.max_connections, loops_, setup_,
                                   std::move(options_.listener_lost));
    if (!listener) {
      return listener.error();
    }
    listener_ = std::move(*listener);
    return base::Ok();
  }

  std::uint16_t port() const override { return listener_->port(); }

  void Serve() override {
    for (const auto& loop : loops_) {
      loop->Start();
    }
    loops_.front()->Post([this] { listener_->Accept(); });
  }

  bool Drain(std::chrono::milliseconds limit) override {
    loops_.front()->Post([this] { listener_->Close(); });
    for (const auto& loop : loops_) {
      loop->Post([&on = *loop] { on.DrainAll(); });
    }
    return count_.WaitForNone(limit);
  }

 private:
  void Resume() {
    if (options_.max_connections != 0) {
      loops_.front()->Post([this] { listener_->Resume(); });
    }
  }

  ServerOptions options_;
  std::optional<boost::asio::ssl::context> tls_;
  ConnectionCount count_;
  const ConnectionSetup setup_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::unique_ptr<Listener> listener_;
};

}  // namespace

base::Result<std::unique_ptr<Server>> Server::Bind(ServerOptions options, Handler& handler) {
  std::optional<boost::asio::ssl::context> tls;
  if (options.tls) {
    auto made = MakeServerTls(*options.tls);
    if (!made) {
      return made.error();
    }
    tls = std::move(*made);
  }
  auto server = std::make_unique<AsioServer>(std::move(options), handler, std::move(tls));
  if (auto listening = server->Listen(); !listening) {
    return listening.error();
  }
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace plimsoll::http
