#include <openssl/ssl.h>

#include <utility>

#include <boost/asio/ip/address.hpp>

#include "http/tls.h"

namespace plimsoll::http {

namespace ssl = boost::asio::ssl;
using Error = boost::system::error_code;

namespace {

constexpr char kTls12Suites[] =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
constexpr unsigned char kProtocols[] = "\x02h2\x08http/1.1";

// SAFETY: OpenSSL passes `offered_size` readable bytes; the chosen name points into one of the two lists, which both
// outlive the handshake.
int ChooseProtocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size, const unsigned char* offered,
                   unsigned offered_size, void*) {
  unsigned char* out = nullptr;
  if (SSL_select_next_proto(&out, chosen_size, kProtocols, sizeof kProtocols - 1, offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = out;
  return SSL_TLSEXT_ERR_OK;
}

base::Fault Unusable(const std::string& file, const Error& error) {
  return {.kind = base::FaultKind::kUnavailable, .detail = "cannot use " + file + ": " + error.message()};
}

}  // namespace

base::Result<ssl::context> MakeServerTls(const TlsPair& pair) {
  ssl::context context(ssl::context::tls_server);
  Error error;
  SSL_CTX* native = context.native_handle();
  const bool narrowed =
      SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION) == 1 && SSL_CTX_set_cipher_list(native, kTls12Suites) == 1;
  if (!narrowed) {
    return base::Fault{.kind = base::FaultKind::kInternal, .detail = "the TLS library lacks TLS 1.2 with ECDHE"};
  }
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_alpn_select_cb(native, ChooseProtocol, nullptr);
  if (context.use_certificate_chain_file(pair.certificate_file, error)) {
    return Unusable(pair.certificate_file, error);
  }
  if (context.use_private_key_file(pair.key_file, ssl::context::pem, error)) {
    return Unusable(pair.key_file, error);
  }
  if (SSL_CTX_check_private_key(native) != 1) {
    return base::Fault{
        .kind = base::FaultKind::kUnavailable,
        .detail = "the key of " + pair.key_file + " is not that of the certificate " + pair.certificate_file};
  }
  return context;
}

base::Result<ssl::context> MakeClientTls(const std::optional<std::string>& ca_file) {
  ssl::context context(ssl::context::tls_client);
  Error error;
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  static_cast<void>(context.set_verify_mode(ssl::verify_peer, error));
  if (!error) {
    if (ca_file) {
      static_cast<void>(context.load_verify_file(*ca_file, error));
    } else {
      static_cast<void>(context.set_default_verify_paths(error));
    }
  }
  if (error) {
    return Unusable(ca_file.value_or("the system's certificate authorities"), error);
  }
  return context;
}

bool NameServer(SSL* connection, const std::string& host) {
  Error not_an_address;
  static_cast<void>(boost::asio::ip::make_address(host, not_an_address));
  // SAFETY: OpenSSL copies the name.
  return !not_an_address || SSL_set_tlsext_host_name(connection, host.c_str()) == 1;
}

}  // namespace plimsoll::http
