#include "http/client_connection.h"

#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "http/client_exchange.h"
#include "http/sockets.h"
#include "http/tls.h"

namespace plimsoll::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using Local = asio::local::stream_protocol;
using Error = boost::system::error_code;
using TlsStream = asio::ssl::stream<tcp::socket>;

namespace {

Failure Unsent(Failure::Cause cause, std::string detail) {
  return {.cause = cause, .sent = Sent::kNothing, .detail = std::move(detail)};
}

std::string HostHeader(const Origin& origin) {
  std::string host = origin.host.find(':') == std::string::npos ? origin.host : "[" + origin.host + "]";
  const std::uint16_t usual = origin.kind == Origin::Kind::kHttps ? 443 : 80;
  if (origin.kind != Origin::Kind::kUnixSocket && origin.port != usual) {
    host += ":" + std::to_string(origin.port);
  }
  return host;
}

template <typename Stream>
class StreamOver final : public ClientStream {
 public:
  explicit StreamOver(Stream stream) : stream_(std::move(stream)) {}

  Stream& stream() { return stream_; }

  void Write(std::string_view bytes, Done done) override {
    asio::async_write(stream_, asio::const_buffer(bytes.data(), bytes.size()), std::move(done));
  }
  void Read(asio::mutable_buffer into, Done done) override { stream_.async_read_some(into, std::move(done)); }
  bool PeerHasClosed() override { return http::PeerHasClosed(stream_.lowest_layer().native_handle()); }
  os::UniqueFd Release() override {
    if constexpr (kPlain) {
      Error error;
      const int descriptor = stream_.release(error);
      return error ? os::UniqueFd() : os::UniqueFd(descriptor);
    } else {
      return {};
    }
  }

 private:
  static constexpr bool kPlain = !std::is_same_v<Stream, TlsStream>;

  Stream stream_;
};

// Owns the loop that its one thread, the caller's, runs during calls. Members are destroyed in reverse: the stream
// gives up its operations, then the io_context drops their handlers without calling them.
class Connection final : public ClientConnection {
 public:
  Connection(std::unique_ptr<asio::io_context> io, const Origin& origin, std::uint64_t max_body)
      : io_(std::move(io)),
        host_(HostHeader(origin)),
        max_body_(max_body),
        can_upgrade_(origin.kind != Origin::Kind::kHttps) {}

  void SetStream(std::unique_ptr<ClientStream> stream) { stream_ = std::move(stream); }

  Outcome Call(const ClientRequest& request, const Bounds& bounds) override {
    if (!usable_) {
      return Unsent(Failure::Cause::kClosed, "the connection takes no further call");
    }
    Exchanged exchanged = ExchangeOver(ThePeer(), request, bounds);
    Settle(exchanged.reusable);
    return std::move(exchanged.outcome);
  }

  UpgradeOutcome Upgrade(const ClientRequest& request, std::string_view protocol, const Bounds& bounds) override {
    if (!usable_) {
      return Unsent(Failure::Cause::kClosed, "the connection takes no further call");
    }
    if (!can_upgrade_) {
      return Unsent(Failure::Cause::kInvalid, "a connection over TLS has no socket to hand over");
    }
    UpgradeExchanged exchanged = UpgradeOver(ThePeer(), request, protocol, bounds);
    Settle(exchanged.reusable);
    return std::move(exchanged.outcome);
  }

  bool usable() const override { return usable_; }

 private:
  Peer ThePeer() { return {.io = *io_, .stream = *stream_, .host = host_, .max_body = max_body_}; }

  void Settle(bool reusable) {
    usable_ = reusable;
    if (!usable_) {
      stream_.reset();
    }
  }

  std::unique_ptr<asio::io_context> io_;
  std::unique_ptr<ClientStream> stream_;
  const std::string host_;
  const std::uint64_t max_body_;
  const bool can_upgrade_;
  bool usable_ = true;
};

// Connects `socket`, opened anew, to one endpoint. Nothing when it is connected.
template <typename Socket>
std::optional<Failure> ConnectOne(asio::io_context& io, Socket& socket, const typename Socket::endpoint_type& endpoint,
                                  const Bounds& bounds) {
  Error error;
  const int descriptor = OpenStream(endpoint.protocol().family(), error);
  if (descriptor < 0) {
    return Unsent(Failure::Cause::kConnect, "cannot open a socket: " + error.message());
  }
  static_cast<void>(socket.close(error));
  socket.assign(endpoint.protocol(), descriptor);
  bool done = false;
  Error result;
  socket.async_connect(endpoint, [&](Error outcome) {
    result = outcome;
    done = true;
  });
  switch (RunUntil(io, bounds, done)) {
    case Waited::kDone: break;
    case Waited::kDeadline: return Unsent(Failure::Cause::kDeadline, "no time left while connecting");
    case Waited::kCanceled: return Unsent(Failure::Cause::kCanceled, "canceled while connecting");
  }
  if (result) {
    return Unsent(Failure::Cause::kConnect, "cannot connect: " + result.message());
  }
  return std::nullopt;
}

template <typename Socket, typename Endpoints>
std::optional<Failure> ConnectAny(asio::io_context& io, Socket& socket, const Endpoints& endpoints,
                                  const Bounds& bounds) {
  std::optional<Failure> failure = Unsent(Failure::Cause::kConnect, "no address to connect to");
  for (const auto& endpoint : endpoints) {
    failure = ConnectOne(io, socket, endpoint, bounds);
    if (!failure || failure->cause != Failure::Cause::kConnect) {
      break;
    }
  }
  return failure;
}

std::optional<Failure> Handshake(asio::io_context& io, TlsStream& stream, const std::string& host,
                                 const Bounds& bounds) {
  Error error;
  static_cast<void>(stream.set_verify_callback(asio::ssl::host_name_verification(host), error));
  if (error || !NameServer(stream.native_handle(), host)) {
    return Unsent(Failure::Cause::kTls, "the host cannot be named in a TLS handshake");
  }
  bool done = false;
  stream.async_handshake(asio::ssl::stream_base::client, [&](Error outcome) {
    error = outcome;
    done = true;
  });
  switch (RunUntil(io, bounds, done)) {
    case Waited::kDone: break;
    case Waited::kDeadline: return Unsent(Failure::Cause::kDeadline, "no time left in the TLS handshake");
    case Waited::kCanceled: return Unsent(Failure::Cause::kCanceled, "canceled in the TLS handshake");
  }
  if (error) {
    return Unsent(Failure::Cause::kTls, "the TLS handshake failed: " + error.message());
  }
  return std::nullopt;
}

Connected Finish(std::unique_ptr<asio::io_context> io, std::unique_ptr<ClientStream> stream, const Origin& origin,
                 std::uint64_t max_body) {
  auto connection = std::make_unique<Connection>(std::move(io), origin, max_body);
  connection->SetStream(std::move(stream));
  return std::unique_ptr<ClientConnection>(std::move(connection));
}

template <typename Socket, typename Endpoints>
Connected ConnectPlain(const Origin& origin, const Endpoints& endpoints, const Bounds& bounds, std::uint64_t max_body) {
  auto io = std::make_unique<asio::io_context>(1);
  Socket socket(*io);
  if (auto failure = ConnectAny(*io, socket, endpoints, bounds)) {
    return std::move(*failure);
  }
  return Finish(std::move(io), std::make_unique<StreamOver<Socket>>(std::move(socket)), origin, max_body);
}

}  // namespace

Connected ConnectTcp(const Origin& origin, const std::vector<tcp::endpoint>& addresses, const Bounds& bounds,
                     std::uint64_t max_body) {
  return ConnectPlain<tcp::socket>(origin, addresses, bounds, max_body);
}

Connected ConnectUnix(const Origin& origin, const Bounds& bounds, std::uint64_t max_body) {
  // Linux: 107 bytes and a NUL.
  if (origin.socket_path.empty() || origin.socket_path.size() > 107) {
    return Unsent(Failure::Cause::kConnect, "the socket's path has " + std::to_string(origin.socket_path.size()) +
                                                " bytes; 1 to 107 are possible");
  }
  return ConnectPlain<Local::socket>(origin, std::array{Local::endpoint(origin.socket_path)}, bounds, max_body);
}

Connected ConnectTls(const Origin& origin, const std::vector<tcp::endpoint>& addresses, asio::ssl::context& tls,
                     const Bounds& bounds, std::uint64_t max_body) {
  auto io = std::make_unique<asio::io_context>(1);
  auto stream = std::make_unique<StreamOver<TlsStream>>(TlsStream(*io, tls));
  auto failure = ConnectAny(*io, stream->stream().next_layer(), addresses, bounds);
  if (!failure) {
    failure = Handshake(*io, stream->stream(), origin.host, bounds);
  }
  if (failure) {
    return std::move(*failure);
  }
  return Finish(std::move(io), std::move(stream), origin, max_body);
}

}  // namespace plimsoll::http
