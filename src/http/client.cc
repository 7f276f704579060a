#include "http/client.h"

#include <utility>
#include <vector>

#include <boost/asio/ssl/context.hpp>

#include "base/guarded.h"
#include "http/client_connection.h"
#include "http/lookup.h"
#include "http/tls.h"

namespace plimsoll::http {

namespace ssl = boost::asio::ssl;

namespace {

class AsioClient final : public Client {
 public:
  AsioClient(ClientOptions options, std::unique_ptr<ssl::context> tls)
      : options_(std::move(options)), tls_(std::move(tls)) {}

  std::variant<std::unique_ptr<ClientConnection>, Failure> Open(const Origin& origin, const Bounds& bounds) override {
    switch (origin.kind) {
      case Origin::Kind::kUnixSocket: return ConnectUnix(origin, bounds, options_.max_body);
      case Origin::Kind::kHttp:
      case Origin::Kind::kHttps: break;
    }
    auto found = lookups_.Find(origin.host, origin.port, bounds);
    if (auto* failure = std::get_if<Failure>(&found)) {
      return std::move(*failure);
    }
    const auto& addresses = std::get<Lookups::Addresses>(found);
    if (origin.kind == Origin::Kind::kHttp) {
      return ConnectTcp(origin, addresses, bounds, options_.max_body);
    }
    auto tls = Tls();
    if (!tls) {
      return Failure{.cause = Failure::Cause::kTls, .sent = Sent::kNothing, .detail = std::string(TextOf(tls.error()))};
    }
    return ConnectTls(origin, addresses, **tls, bounds, options_.max_body);
  }

 private:
  // The system's authorities take some 25 ms to read, which only those pay who use TLS.
  base::Result<ssl::context*> Tls() {
    auto tls = tls_.Lock();
    if (*tls == nullptr) {
      auto made = MakeClientTls(options_.ca_file);
      if (!made) {
        return made.error();
      }
      *tls = std::make_unique<ssl::context>(std::move(*made));
    }
    return tls->get();
  }

  const ClientOptions options_;
  base::Guarded<std::unique_ptr<ssl::context>> tls_;  // once made, never replaced
  Lookups lookups_;
};

}  // namespace

base::Result<std::unique_ptr<Client>> Client::Create(ClientOptions options) {
  std::unique_ptr<ssl::context> tls;
  if (options.ca_file) {
    auto made = MakeClientTls(options.ca_file);
    if (!made) {
      return made.error();
    }
    tls = std::make_unique<ssl::context>(std::move(*made));
  }
  return std::unique_ptr<Client>(std::make_unique<AsioClient>(std::move(options), std::move(tls)));
}

Outcome Client::Call(const Origin& origin, const ClientRequest& request, const Bounds& bounds) {
  auto opened = Open(origin, bounds);
  if (auto* failure = std::get_if<Failure>(&opened)) {
    return std::move(*failure);
  }
  return std::get<std::unique_ptr<ClientConnection>>(opened)->Call(request, bounds);
}

}  // namespace plimsoll::http
