#pragma once

#include <optional>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include "base/result.h"
#include "http/server.h"

namespace plimsoll::http {

// A server's TLS settings: TLS 1.2 or newer, the 1.2 suites ECDHE with AES-GCM or ChaCha20-Poly1305 only, ALPN `h2`
// before `http/1.1`, no client certificate. Fault kUnavailable names the file and what is wrong with it.
base::Result<boost::asio::ssl::context> MakeServerTls(const TlsPair& pair);

// A client's: TLS 1.2 or newer, the peer's certificate verified against `ca_file`, or the system's authorities.
base::Result<boost::asio::ssl::context> MakeClientTls(const std::optional<std::string>& ca_file);

// Tells the server which name is meant (SNI); an address is not told. False when the name cannot be.
bool NameServer(SSL* connection, const std::string& host);

}  // namespace plimsoll::http
