#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_function.h"
#include "http/handler.h"
#include "http/limits.h"

namespace plimsoll::http {

// PEM files, the certificate with its chain; loaded and checked by Server::Bind.
struct TlsPair {
  std::string certificate_file;
  std::string key_file;
};

struct ServerOptions {
  std::string host = "127.0.0.1";   // a name or an address; empty: every interface
  std::uint16_t port = 0;           // 0: any free one
  std::optional<TlsPair> tls = {};  // absent: cleartext
  unsigned threads = 1;             // at least 1; a connection stays on one
  std::size_t max_connections = 0;  // 0: no cap; more wait in the accept queue
  Limits limits = {};
  // Called at most once, on a thread of the server, when the listener can take no more connections: its descriptor is
  // no listening socket any more. Open connections go on. Must not block. Never called once Drain has begun to close.
  base::UniqueFunction<void(base::Fault)> listener_lost = {};
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
  // the deadline (false). Connections that still wait in the kernel's queue are reset.
  virtual bool Drain(std::chrono::milliseconds limit) = 0;
};

}  // namespace plimsoll::http
