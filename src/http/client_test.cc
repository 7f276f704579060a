#include "http/client.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/server.h"
#include "http/testing.h"
#include "http/testing_certificate.h"
#include "http/testing_listener.h"

namespace plimsoll::http {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;
using Cause = Failure::Cause;

base::SteadyTime In(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

std::unique_ptr<Client> MakeClient(ClientOptions options = {}) {
  auto client = Client::Create(std::move(options));
  PLIMSOLL_CHECK(client.has_value());
  return std::move(*client);
}

Origin Plain(std::uint16_t port) { return {.host = "127.0.0.1", .port = port, .socket_path = {}}; }

const Failure& FailureIn(const Outcome& outcome) {
  PLIMSOLL_CHECK(std::holds_alternative<Failure>(outcome));
  return std::get<Failure>(outcome);
}

struct Served {
  explicit Served(ServerOptions options = {}, std::uint64_t max_body = 1 << 20) : handler(max_body) {
    auto bound = Server::Bind(std::move(options), handler);
    PLIMSOLL_CHECK(bound.has_value());
    server = std::move(*bound);
    server->Serve();
  }
  FakeHandler handler;
  std::unique_ptr<Server> server;
};

TEST(Client, SendsARequestAndReadsItsAnswer) {
  Served served;
  ClientRequest request{.target = "/a", .headers = {}, .body = std::string(500'000, 'x')};
  request.headers.Add("x-a", "1");
  const auto outcome = MakeClient()->Call(Plain(served.server->port()), request, {.deadline = In(5s)});
  const auto& response = std::get<Response>(outcome);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "POST /a 500000");
  EXPECT_EQ(response.headers.Only("content-type"), "text/plain");
  const RequestHead head = served.handler.heads().at(0);
  EXPECT_EQ(head.headers.Only("x-a"), "1");
  EXPECT_EQ(head.headers.Only("host"), "127.0.0.1:" + std::to_string(served.server->port()));
}

TEST(Client, LooksANameUp) {
  Served served;
  const auto outcome = MakeClient()->Call({.host = "localhost", .port = served.server->port(), .socket_path = {}},
                                          {.headers = {}, .body = {}}, {.deadline = In(5s)});
  EXPECT_EQ(std::get<Response>(outcome).status, 200);
}

TEST(Client, UsesAConnectionAgainUntilThePeerCloses) {
  auto served = std::make_unique<Served>();
  const auto client = MakeClient();
  auto opened = client->Open(Plain(served->server->port()), {.deadline = In(5s)});
  auto& connection = std::get<std::unique_ptr<ClientConnection>>(opened);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(connection->usable());
    const auto outcome = connection->Call({.headers = {}, .body = "12"}, {.deadline = In(5s)});
    EXPECT_EQ(std::get<Response>(outcome).body, "POST / 2");
  }
  served.reset();
  const auto outcome = connection->Call({.headers = {}, .body = {}}, {.deadline = In(5s)});
  EXPECT_EQ(FailureIn(outcome).cause, Cause::kClosed);
  EXPECT_EQ(FailureIn(outcome).sent, Sent::kNothing);
  EXPECT_FALSE(connection->usable());
}

TEST(Client, SaysThatNothingWasSentWhenItCannotConnect) {
  std::uint16_t port = 0;
  {
    port = TestListener().port();
  }
  const auto outcome = MakeClient()->Call(Plain(port), {.headers = {}, .body = {}}, {.deadline = In(5s)});
  EXPECT_EQ(FailureIn(outcome).cause, Cause::kConnect);
  EXPECT_EQ(FailureIn(outcome).sent, Sent::kNothing);
}

TEST(Client, RefusesHeadersThatWouldBreakTheMessage) {
  TestListener listener;
  ClientRequest request{.headers = {}, .body = {}};
  request.headers.Add("authorization", "Bearer secret\r\nx: y");
  const auto outcome = MakeClient()->Call(Plain(listener.port()), request, {.deadline = In(5s)});
  EXPECT_EQ(FailureIn(outcome).cause, Cause::kInvalid);
  EXPECT_EQ(FailureIn(outcome).sent, Sent::kNothing);
  EXPECT_EQ(FailureIn(outcome).detail.find("secret"), std::string::npos);
}

struct Answered {
  const char* what;
  std::string answer;
  Cause cause;
};

// For gtest's messages.
void PrintTo(const Answered& answered, std::ostream* out) { *out << answered.what; }

class ClientAnswers : public testing::TestWithParam<Answered> {};

TEST_P(ClientAnswers, FailsAfterSending) {
  TestListener listener;
  std::jthread server([&] { listener.Serve(GetParam().answer); });
  const auto client = MakeClient({.ca_file = {}, .max_body = 100});
  const auto outcome = client->Call(Plain(listener.port()), {.headers = {}, .body = {}}, {.deadline = In(5s)});
  EXPECT_EQ(FailureIn(outcome).cause, GetParam().cause) << GetParam().what << ": " << FailureIn(outcome).detail;
  EXPECT_EQ(FailureIn(outcome).sent, Sent::kMaybe);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ClientAnswers,
    testing::Values(Answered{"nothing", "", Cause::kClosed},
                    Answered{"half a head", "HTTP/1.1 200 OK\r\nContent-", Cause::kClosed},
                    Answered{"half a body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", Cause::kClosed},
                    Answered{"half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12",
                             Cause::kClosed},
                    Answered{"another protocol", "220 mail.example ESMTP\r\n", Cause::kMalformed},
                    Answered{"a declared length over the limit", "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n",
                             Cause::kTooLarge},
                    Answered{"more than the limit without a declared length",
                             "HTTP/1.1 200 OK\r\n\r\n" + std::string(101, 'x'), Cause::kTooLarge},
                    Answered{"more than the limit in chunks",
                             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" + std::string(101, 'x') +
                                 "\r\n0\r\n\r\n",
                             Cause::kTooLarge}));

TEST(Client, ReadsInterimAnswersAndAnswersWithoutALength) {
  TestListener listener;
  std::jthread server(
      [&] { listener.Serve("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 302 Found\r\nlocation: /b\r\n\r\nbody"); });
  const auto outcome = MakeClient()->Call(Plain(listener.port()), {.headers = {}, .body = {}}, {.deadline = In(5s)});
  EXPECT_EQ(std::get<Response>(outcome).status, 302);  // not followed
  EXPECT_EQ(std::get<Response>(outcome).body, "body");
}

TEST(Client, C25_ReadsTheAnswerOfAPeerThatRefusesToReadTheBody) {
  TestListener listener;
  std::jthread server(
      [&] { listener.Serve("HTTP/1.1 401 Unauthorized\r\nconnection: close\r\ncontent-length: 2\r\n\r\nno"); });
  const auto outcome = MakeClient()->Call(Plain(listener.port()), {.headers = {}, .body = std::string(20'000'000, 'x')},
                                          {.deadline = In(10s)});
  ASSERT_TRUE(std::holds_alternative<Response>(outcome)) << FailureIn(outcome).detail;
  EXPECT_EQ(std::get<Response>(outcome).status, 401);
}

TEST(Client, EndsAtItsDeadline) {
  TestListener listener;  // accepts in the kernel and never answers
  const auto outcome = MakeClient()->Call(Plain(listener.port()), {.headers = {}, .body = {}}, {.deadline = In(50ms)});
  EXPECT_EQ(FailureIn(outcome).cause, Cause::kDeadline);
  EXPECT_EQ(FailureIn(outcome).sent, Sent::kMaybe);
  const auto before = MakeClient()->Call(Plain(listener.port()), {.headers = {}, .body = {}}, {.deadline = In(-1ms)});
  EXPECT_EQ(FailureIn(before).cause, Cause::kDeadline);
  EXPECT_EQ(FailureIn(before).sent, Sent::kNothing);
}

// What it takes a call that waits for its answer to return once it is canceled.
base::SteadyTime::duration ReturnOfACanceledCall() {
  TestListener listener;
  std::stop_source stop;
  base::SteadyTime requested;
  std::jthread canceler([&] {
    std::this_thread::sleep_for(30ms);
    requested = In(0ms);
    stop.request_stop();
  });
  const auto outcome = MakeClient()->Call(Plain(listener.port()), {.headers = {}, .body = {}},
                                          {.deadline = In(5s), .stop = stop.get_token()});
  const auto returned = In(0ms);
  canceler.join();
  EXPECT_EQ(FailureIn(outcome).cause, Cause::kCanceled);
  EXPECT_EQ(FailureIn(outcome).sent, Sent::kMaybe);
  return returned - requested;
}

// The best of three: the bound is ours, the noise is the machine's.
TEST(Client, C21_ReturnsWithin100MsOfACancelWhileItWaits) {
  EXPECT_LT(std::min({ReturnOfACanceledCall(), ReturnOfACanceledCall(), ReturnOfACanceledCall()}), 100ms);
}

TEST(Client, C21_SendsNothingWhenCanceledBefore) {
  TestListener listener;
  std::stop_source stop;
  stop.request_stop();
  const auto outcome = MakeClient()->Call(Plain(listener.port()), {.headers = {}, .body = {}},
                                          {.deadline = In(5s), .stop = stop.get_token()});
  EXPECT_EQ(FailureIn(outcome).cause, Cause::kCanceled);
  EXPECT_EQ(FailureIn(outcome).sent, Sent::kNothing);
}

TEST(Client, C21_SendsNothingWhenCanceledWhileConnecting) {
  TestListener full(0);  // its queue is full after one connection, so further ones hang
  const auto filled = full.Fill();
  std::stop_source stop;
  std::jthread canceler([&] {
    std::this_thread::sleep_for(30ms);
    stop.request_stop();
  });
  const auto outcome = MakeClient()->Call(Plain(full.port()), {.headers = {}, .body = {}},
                                          {.deadline = In(5s), .stop = stop.get_token()});
  EXPECT_EQ(FailureIn(outcome).cause, Cause::kCanceled);
  EXPECT_EQ(FailureIn(outcome).sent, Sent::kNothing);
}

TEST(ClientTls, VerifiesThePeer) {
  const TestCertificate certificate("127.0.0.1");
  const TestCertificate other("127.0.0.1");
  const TestCertificate named("localhost");
  Served served({.tls = certificate.pair()});
  Served elsewhere({.tls = named.pair()});
  const auto call = [](const std::string& ca, const std::string& host, const Served& to) {
    return MakeClient({.ca_file = ca})
        ->Call({.kind = Origin::Kind::kHttps, .host = host, .port = to.server->port(), .socket_path = {}},
               {.headers = {}, .body = "12"}, {.deadline = In(5s)});
  };
  EXPECT_EQ(std::get<Response>(call(certificate.certificate_file(), "127.0.0.1", served)).body, "POST / 2");
  EXPECT_EQ(std::get<Response>(call(named.certificate_file(), "localhost", elsewhere)).body, "POST / 2");
  for (const auto& outcome : {call(other.certificate_file(), "127.0.0.1", served),        // another authority
                              call(named.certificate_file(), "127.0.0.1", elsewhere)}) {  // another name
    EXPECT_EQ(FailureIn(outcome).cause, Cause::kTls);
    EXPECT_EQ(FailureIn(outcome).sent, Sent::kNothing);
    EXPECT_THAT(FailureIn(outcome).detail, HasSubstr("certificate verify failed"));
  }
}

TEST(ClientTls, EndsAHandshakeAtItsDeadline) {
  TestListener silent;
  const auto outcome =
      MakeClient()->Call({.kind = Origin::Kind::kHttps, .host = "127.0.0.1", .port = silent.port(), .socket_path = {}},
                         {.headers = {}, .body = {}}, {.deadline = In(50ms)});
  EXPECT_EQ(FailureIn(outcome).cause, Cause::kDeadline);
  EXPECT_EQ(FailureIn(outcome).sent, Sent::kNothing);
}

TEST(ClientTls, NamesTheFileOfAuthoritiesItCannotRead) {
  const auto client = Client::Create({.ca_file = "/no/such/ca"});
  ASSERT_FALSE(client);
  EXPECT_THAT(std::string(base::TextOf(client.error())), StartsWith("cannot use /no/such/ca: "));
}

TEST(ClientUnix, SpeaksOverASocketFile) {
  TestUnixListener listener;
  std::string request;
  std::jthread server([&] { request = listener.Serve("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nOK"); });
  const Origin origin{.kind = Origin::Kind::kUnixSocket, .host = "docker", .socket_path = listener.path()};
  const auto outcome = MakeClient()->Call(origin, {.method = "GET", .target = "/_ping", .headers = {}, .body = {}},
                                          {.deadline = In(5s)});
  server.join();
  EXPECT_EQ(std::get<Response>(outcome).body, "OK");
  EXPECT_THAT(request, StartsWith("GET /_ping HTTP/1.1\r\nhost: docker\r\n"));
}

TEST(ClientUnix, SaysWhenTheSocketFileIsNotThere) {
  const auto client = MakeClient();
  for (const std::string& path : {std::string("/no/such/socket"), std::string(), std::string(108, 'x')}) {
    const auto outcome = client->Call({.kind = Origin::Kind::kUnixSocket, .host = "docker", .socket_path = path},
                                      {.headers = {}, .body = {}}, {.deadline = In(5s)});
    EXPECT_EQ(FailureIn(outcome).cause, Cause::kConnect);
    EXPECT_EQ(FailureIn(outcome).sent, Sent::kNothing);
  }
}

}  // namespace
}  // namespace plimsoll::http
