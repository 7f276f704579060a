// The server under TLS.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>

#include "http/http2_testclient.h"
#include "http/server.h"
#include "http/testing.h"
#include "http/testing_certificate.h"
#include "http/testing_sockets.h"

namespace plimsoll::http {
namespace {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct TlsClient {
  TlsClient(std::uint16_t port, const std::string& alpn, int max_version = TLS1_3_VERSION,
            const std::string& suites = "DEFAULT@SECLEVEL=0")
      : context(ssl::context::tls_client), stream(io, Configure(context, alpn, max_version, suites)) {
    stream.next_layer().connect({asio::ip::make_address("127.0.0.1"), port}, error);
    if (!error) {
      stream.handshake(ssl::stream_base::client, error);
    }
  }

  static ssl::context& Configure(ssl::context& context, const std::string& alpn, int max_version,
                                 const std::string& suites) {
    SSL_CTX* native = context.native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(native, max_version);
    SSL_CTX_set_cipher_list(native, suites.c_str());
    std::vector<unsigned char> names;
    for (std::size_t at = 0; at < alpn.size();) {
      const std::size_t end = std::min(alpn.find(',', at), alpn.size());
      names.push_back(static_cast<unsigned char>(end - at));
      names.insert(names.end(), alpn.begin() + static_cast<std::ptrdiff_t>(at),
                   alpn.begin() + static_cast<std::ptrdiff_t>(end));
      at = end + 1;
    }
    if (!names.empty()) {
      SSL_CTX_set_alpn_protos(native, names.data(), static_cast<unsigned>(names.size()));
    }
    return context;
  }

  std::string alpn() {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(stream.native_handle(), &name, &size);
    return {name, name + size};
  }

  std::string Read() {
    std::string bytes(64 * 1024, '\0');
    bytes.resize(stream.read_some(asio::buffer(bytes), error));
    return bytes;
  }
  std::string ReadToEnd() {
    std::string all;
    while (!error) {
      all += Read();
    }
    return all;
  }

  asio::io_context io;
  ssl::context context;
  boost::system::error_code error;
  ssl::stream<tcp::socket> stream;
};

struct Tls : testing::Test {
  Tls() : certificate("127.0.0.1") {
    auto bound = Server::Bind({.tls = certificate.pair()}, handler);
    PLIMSOLL_CHECK(bound.has_value());
    server = std::move(*bound);
    server->Serve();
  }

  FakeHandler handler;
  TestCertificate certificate;
  std::unique_ptr<Server> server;
};

TEST_F(Tls, D31_PicksHttp2ByAlpn) {
  TlsClient tls(server->port(), "http/1.1,h2");
  ASSERT_FALSE(tls.error) << tls.error.message();
  EXPECT_EQ(tls.alpn(), "h2");
  Http2TestClient client;
  const auto stream = client.Submit("GET", "/a");
  asio::write(tls.stream, asio::buffer(client.Output()));
  while (!client.seen(stream).closed && !tls.error) {
    client.Input(tls.Read());
    asio::write(tls.stream, asio::buffer(client.Output()));
  }
  EXPECT_EQ(client.seen(stream).body, "GET /a 0");
}

TEST_F(Tls, D31_SpeaksHttp11WithAndWithoutAlpn) {
  for (const std::string offered : {"http/1.1", ""}) {
    TlsClient tls(server->port(), offered);
    ASSERT_FALSE(tls.error) << tls.error.message();
    EXPECT_EQ(tls.alpn(), offered);
    asio::write(tls.stream, asio::buffer(std::string("GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")));
    EXPECT_THAT(tls.ReadToEnd(), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("GET /a 0")));
    EXPECT_EQ(tls.error, asio::error::eof) << "no close_notify: " << tls.error.message();
  }
}

TEST_F(Tls, D31_RefusesTls11) {
  EXPECT_TRUE(TlsClient(server->port(), "h2", TLS1_1_VERSION).error);
  EXPECT_FALSE(TlsClient(server->port(), "h2", TLS1_2_VERSION).error);
}

TEST_F(Tls, TakesOfTls12OnlyEcdheWithAead) {
  EXPECT_FALSE(TlsClient(server->port(), "h2", TLS1_2_VERSION, "ECDHE-ECDSA-AES128-GCM-SHA256").error);
  EXPECT_FALSE(TlsClient(server->port(), "h2", TLS1_2_VERSION, "ECDHE-ECDSA-CHACHA20-POLY1305").error);
  EXPECT_TRUE(TlsClient(server->port(), "h2", TLS1_2_VERSION, "ECDHE-ECDSA-AES128-SHA256").error);
  EXPECT_TRUE(TlsClient(server->port(), "h2", TLS1_2_VERSION, "AES128-GCM-SHA256").error);
}

TEST_F(Tls, RefusesAProtocolItDoesNotSpeak) { EXPECT_TRUE(TlsClient(server->port(), "spdy/3").error); }

TEST_F(Tls, ClosesOnAClientThatSpeaksNoTls) {
  Socket socket(server->port());
  socket.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(socket.ReadToEnd().find("HTTP"), std::string::npos);
}

TEST_F(Tls, SendsALargeAnswer) {
  TlsClient tls(server->port(), "http/1.1");
  asio::write(tls.stream,
              asio::buffer(std::string("GET /big/3000000 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")));
  EXPECT_GT(tls.ReadToEnd().size(), 3'000'000U);
}

TEST_F(Tls, RefusesAtTheHeadWhileTheBodyIsHeldBack) {
  TlsClient tls(server->port(), "http/1.1");
  asio::write(tls.stream,
              asio::buffer(std::string("POST /refuse HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n12")));
  EXPECT_THAT(tls.ReadToEnd(), AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("connection: close")));
}

TEST(TlsBind, D13_NamesTheFileThatCannotBeUsed) {
  FakeHandler handler;
  const TestCertificate one("127.0.0.1");
  const TestCertificate other("127.0.0.1");
  const auto missing =
      Server::Bind({.tls = TlsPair{.certificate_file = "/no/such/cert", .key_file = one.pair().key_file}}, handler);
  ASSERT_FALSE(missing);
  EXPECT_THAT(std::string(base::TextOf(missing.error())), StartsWith("cannot use /no/such/cert: "));
  const auto no_key =
      Server::Bind({.tls = TlsPair{.certificate_file = one.certificate_file(), .key_file = "/no/such/key"}}, handler);
  ASSERT_FALSE(no_key);
  EXPECT_THAT(std::string(base::TextOf(no_key.error())), StartsWith("cannot use /no/such/key: "));
  const auto unlike = Server::Bind(
      {.tls = TlsPair{.certificate_file = one.certificate_file(), .key_file = other.pair().key_file}}, handler);
  ASSERT_FALSE(unlike);
}

}  // namespace
}  // namespace plimsoll::http
