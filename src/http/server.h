#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "http/handler.h"

namespace plimsoll::http {

// PEM texts; loaded and checked by Server::Start.
struct TlsPair {
  std::string certificate_file;
  std::string key_file;
};

// Every limit of wire.md 3. The defaults are that table's values.
struct ServerOptions {
  std::string host = "127.0.0.1";  // a name or an address; empty: every interface
  std::uint16_t port = 0;          // 0: any free one
  std::optional<TlsPair> tls;
  unsigned threads = 1;
  std::uint32_t max_header_bytes = 32 * 1024;
  std::chrono::milliseconds header_time{5'000};
  std::chrono::milliseconds request_time{30'000};
  std::chrono::milliseconds answer_time{360'000};
  std::chrono::milliseconds idle_time{120'000};
  std::chrono::milliseconds drain_time{500};  // reading the rest of a refused body
  std::uint32_t max_streams = 250;            // HTTP/2, per connection
  std::size_t max_connections = 0;            // 0: no cap; more wait in the accept queue
};

// HTTP/1.1 and HTTP/2 on one port: by preface in cleartext, by ALPN under TLS. No `Upgrade: h2c`.
class Server {
 public:
  // Binds and listens, but accepts nothing: connections wait in the kernel's queue until Serve. The handler must
  // outlive the server. Fault kUnavailable with the address or the file and the system's reason.
  static base::Result<std::unique_ptr<Server>> Bind(ServerOptions options, Handler& handler);

  virtual ~Server() = default;  // stops at once: open connections are closed

  // The port bound.
  virtual std::uint16_t port() const = 0;
  // Starts accepting. Call once.
  virtual void Serve() = 0;
  // Closes the listener, lets requests in flight be answered, closes idle connections; returns when none is left or at
  // the deadline (false).
  virtual bool Drain(std::chrono::milliseconds limit) = 0;
};

}  // namespace plimsoll::http
