#include "http/client.h"

#include <utility>
#include <vector>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>

#include "http/client_connection.h"
#include "http/lookup.h"
#include "http/tls.h"

namespace plimsoll::http {

namespace {

class AsioClient final : public Client {
 public:
  AsioClient(ClientOptions options, boost::asio::ssl::context tls)
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
    return origin.kind == Origin::Kind::kHttps ? ConnectTls(origin, addresses, tls_, bounds, options_.max_body)
                                               : ConnectTcp(origin, addresses, bounds, options_.max_body);
  }

 private:
  const ClientOptions options_;
  boost::asio::ssl::context tls_;
  Lookups lookups_;
};

}  // namespace

base::Result<std::unique_ptr<Client>> Client::Create(ClientOptions options) {
  auto tls = MakeClientTls(options.ca_file);
  if (!tls) {
    return tls.error();
  }
  return std::unique_ptr<Client>(std::make_unique<AsioClient>(std::move(options), std::move(*tls)));
}

Outcome Client::Call(const Origin& origin, const ClientRequest& request, const Bounds& bounds) {
  auto opened = Open(origin, bounds);
  if (auto* failure = std::get_if<Failure>(&opened)) {
    return std::move(*failure);
  }
  return std::get<std::unique_ptr<ClientConnection>>(opened)->Call(request, bounds);
}

}  // namespace plimsoll::http
