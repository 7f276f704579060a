#include "http/server.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/http2_testclient.h"
#include "http/testing.h"
#include "http/testing_sockets.h"

namespace plimsoll::http {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kGet[] = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";

std::unique_ptr<Server> Started(Handler& handler, ServerOptions options = {}) {
  auto server = Server::Bind(std::move(options), handler);
  PLIMSOLL_CHECK(server.has_value());
  (*server)->Serve();
  return std::move(*server);
}

TEST(Server, D31_SpeaksBothVersionsOnOnePort) {
  FakeHandler handler;
  const auto server = Started(handler);
  Socket http1(server->port());
  http1.Send(kGet);
  EXPECT_THAT(http1.ReadUntil("GET /a 0"), StartsWith("HTTP/1.1 200 OK\r\n"));

  Socket http2(server->port());
  Http2TestClient client;
  const auto stream = client.Submit("POST", "/b", {}, "12");
  const std::string out = client.Output();
  http2.Send(out.substr(0, 10));  // a part of the preface waits
  std::this_thread::sleep_for(10ms);
  http2.Send(out.substr(10));
  while (!client.seen(stream).closed) {
    const std::string received = http2.ReadSome();
    ASSERT_THAT(received, Not(IsEmpty()));
    client.Input(received);
    http2.Send(client.Output());
  }
  EXPECT_EQ(client.seen(stream).body, "POST /b 2");
}

TEST(Server, D24_RefusesWithinASecondWhileTheBodyIsHeldBack) {
  FakeHandler handler;
  const auto server = Started(handler);
  Socket socket(server->port());
  socket.Send("POST /refuse HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n12");
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_THAT(socket.ReadUntil("refused"), AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("connection: close\r\n")));
  EXPECT_THAT(socket.ReadToEnd(), IsEmpty());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 1s);
}

TEST(Server, W13_HoldsNoBodyOfADeclaredLengthOverTheLimit) {
  FakeHandler handler;
  const auto server = Started(handler);
  Socket socket(server->port());
  socket.Send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 8388609\r\n\r\n");
  EXPECT_THAT(socket.ReadUntil("too large"), AllOf(StartsWith("HTTP/1.1 429 "), HasSubstr("connection: close\r\n")));
}

TEST(Server, W14_AnswersTwoRequestsOnOneConnection) {
  FakeHandler handler;
  const auto server = Started(handler);
  Socket socket(server->port());
  for (int i = 0; i < 2; ++i) {
    socket.Send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n12");
    EXPECT_THAT(socket.ReadUntil("POST /a 2"), Not(HasSubstr("connection: close")));
  }
}

TEST(Server, D30_AnswersOptionsStarWithAHeldBackBody) {
  FakeHandler handler(0);
  const auto server = Started(handler);
  Socket socket(server->port());
  socket.Send("OPTIONS * HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n");
  EXPECT_THAT(socket.ReadUntil("too large"), StartsWith("HTTP/1.1 429 "));
}

TEST(Server, D32_LetsConnectionsOverTheCapWaitUntilOneCloses) {
  FakeHandler handler;
  const auto server = Started(handler, {.max_connections = 2});
  Socket first(server->port());
  Socket second(server->port());
  first.Send(kGet);
  second.Send(kGet);
  first.ReadUntil("GET /a 0");
  second.ReadUntil("GET /a 0");
  Socket third(server->port());
  third.Send(kGet);
  EXPECT_FALSE(third.ReadableWithin(100ms));
  first.Close();
  EXPECT_THAT(third.ReadUntil("GET /a 0"), StartsWith("HTTP/1.1 200 "));
  second.Send(kGet);
  second.ReadUntil("GET /a 0");
}

TEST(Server, SendsA408ToASlowClientAndCloses) {
  FakeHandler handler;
  const auto server = Started(handler, {.limits = {.header_time = 50ms, .request_time = 80ms, .drain_time = 10ms}});
  Socket headers(server->port());
  headers.Send("GET /a HTTP/1.1\r\n");
  Socket body(server->port());
  body.Send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n1");
  Socket silent(server->port());
  EXPECT_THAT(headers.ReadToEnd(), StartsWith("HTTP/1.1 408 "));
  EXPECT_THAT(body.ReadToEnd(), StartsWith("HTTP/1.1 408 "));
  EXPECT_THAT(silent.ReadToEnd(), IsEmpty());
}

TEST(Server, ClosesIdleConnections) {
  FakeHandler handler;
  const auto server = Started(handler, {.limits = {.idle_time = 50ms}});
  Socket socket(server->port());
  socket.Send(kGet);
  EXPECT_THAT(socket.ReadToEnd(), EndsWith("GET /a 0"));
}

TEST(Server, TellsTheHandlerThatTheClientHasLeft) {
  FakeHandler handler;
  const auto server = Started(handler);
  Socket socket(server->port());
  socket.Send("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
  const auto held = handler.WaitForHeld();
  socket.Close();
  EXPECT_TRUE(Eventually([&] { return held->client_gone().stop_requested(); }));
  held->Send(Text(200, "late"));
}

TEST(Server, TakesAnswersFromOtherThreads) {
  FakeHandler handler;
  const auto server = Started(handler, {.threads = 2});
  std::vector<std::unique_ptr<Socket>> sockets;
  for (int i = 0; i < 8; ++i) {
    sockets.push_back(std::make_unique<Socket>(server->port()));
    sockets.back()->Send("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([held = handler.WaitForHeld()] { held->Send(Text(200, "from afar")); });
  }
  for (const auto& socket : sockets) {
    EXPECT_THAT(socket->ReadUntil("from afar"), StartsWith("HTTP/1.1 200 "));
  }
}

TEST(Server, OutlivesExchangesAndIsOutlivedByThem) {
  FakeHandler handler;
  auto server = Started(handler);
  Socket socket(server->port());
  socket.Send("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
  const auto held = handler.WaitForHeld();
  server.reset();
  EXPECT_TRUE(held->client_gone().stop_requested());
  held->Send(Text(200, "late"));
  EXPECT_THAT(socket.ReadToEnd(), IsEmpty());
}

TEST(ServerDrain, AnswersWhatIsInFlightAndRefusesTheRest) {
  FakeHandler handler;
  const auto server = Started(handler, {.threads = 2});
  Socket idle(server->port());
  idle.Send(kGet);
  idle.ReadUntil("GET /a 0");
  Socket busy(server->port());
  busy.Send("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
  const auto held = handler.WaitForHeld();
  EXPECT_FALSE(server->Drain(20ms));
  EXPECT_THAT(idle.ReadToEnd(), IsEmpty());
  EXPECT_FALSE(CanConnect(server->port()));
  held->Send(Text(200, "last"));
  EXPECT_TRUE(server->Drain(5s));
  EXPECT_THAT(busy.ReadToEnd(), AllOf(EndsWith("last"), HasSubstr("connection: close")));
}

TEST(ServerDrain, IsDoneAtOnceWhenNothingIsOpen) {
  FakeHandler handler;
  const auto server = Started(handler);
  EXPECT_TRUE(server->Drain(5s));
}

TEST(ServerBind, D13_NamesTheAddressAndTheReasonWhenItCannotListen) {
  FakeHandler handler;
  const auto first = Started(handler);
  const auto second = Server::Bind({.port = first->port()}, handler);
  ASSERT_FALSE(second);
  EXPECT_EQ(base::TextOf(second.error()),
            "cannot listen on 127.0.0.1:" + std::to_string(first->port()) + ": address already in use");
  const auto elsewhere = Server::Bind({.host = "192.0.2.1", .port = 80}, handler);
  ASSERT_FALSE(elsewhere);
  EXPECT_THAT(std::string(base::TextOf(elsewhere.error())), StartsWith("cannot listen on 192.0.2.1:80: "));
}

TEST(ServerBind, AcceptsNothingBeforeServe) {
  FakeHandler handler;
  auto server = Server::Bind({}, handler);
  ASSERT_TRUE(server);
  Socket socket((*server)->port());
  socket.Send(kGet);
  EXPECT_FALSE(socket.ReadableWithin(50ms));
  (*server)->Serve();
  EXPECT_THAT(socket.ReadUntil("GET /a 0"), StartsWith("HTTP/1.1 200 "));
}

TEST(ServerBind, ListensOnAllInterfacesOnANameAndOnIpv6) {
  FakeHandler handler;
  for (const std::string host : {"", "localhost", "0.0.0.0"}) {
    const auto server = Started(handler, {.host = host});
    EXPECT_TRUE(CanConnect(server->port())) << host;
  }
  auto v6 = Server::Bind({.host = "::1"}, handler);
  if (v6) {
    (*v6)->Serve();
    EXPECT_TRUE(CanConnect((*v6)->port(), "::1"));
  } else {
    EXPECT_THAT(std::string(base::TextOf(v6.error())), StartsWith("cannot listen on [::1]:0: "));
  }
}

// The descriptor of this process that listens on the port.
std::optional<int> ListeningOn(std::uint16_t port) {
  for (int descriptor = 0; descriptor < 256; ++descriptor) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    int listens = 0;
    socklen_t listens_size = sizeof listens;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_size) == 0 && listens == 1 &&
        ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
        address.sin_port == htons(port)) {
      return descriptor;
    }
  }
  return std::nullopt;
}

TEST(Server, D57_SaysOnceThatItsListenerIsLostAndServesWhatIsOpen) {
  FakeHandler handler;
  std::atomic<int> lost{0};
  const auto server = Started(handler, {.listener_lost = [&](const base::Fault& fault) {
                                lost += fault.detail.find("is lost: invalid argument") != std::string::npos ? 1 : 100;
                              }});
  Socket open(server->port());
  open.Send(kGet);
  open.ReadUntil("GET /a 0");
  EXPECT_EQ(lost, 0);
  const auto listening = ListeningOn(server->port());
  ASSERT_TRUE(listening);
  ASSERT_EQ(::shutdown(*listening, SHUT_RDWR), 0);
  EXPECT_TRUE(Eventually([&] { return lost == 1; }));
  open.Send(kGet);
  open.ReadUntil("GET /a 0");
  EXPECT_FALSE(CanConnect(server->port()));
  open.Close();
  EXPECT_TRUE(server->Drain(5s));
  EXPECT_EQ(lost, 1);
}

TEST(Server, ADrainIsNoLossOfTheListener) {
  FakeHandler handler;
  std::atomic<int> lost{0};
  {
    const auto server = Started(handler, {.listener_lost = [&](const base::Fault&) { ++lost; }});
    EXPECT_TRUE(server->Drain(5s));
  }
  EXPECT_EQ(lost, 0);
}

// HTTP-8.
TEST(Server, OpensOnlyDescriptorsThatAreCloseOnExec) {
  const auto open = [] {
    std::set<int> found;
    for (int descriptor = 0; descriptor < 256; ++descriptor) {
      if (::fcntl(descriptor, F_GETFD) >= 0) {
        found.insert(descriptor);
      }
    }
    return found;
  };
  const std::set<int> before = open();
  FakeHandler handler;
  const auto server = Started(handler);
  Socket socket(server->port());
  socket.Send(kGet);
  socket.ReadUntil("GET /a 0");
  for (const int descriptor : open()) {
    if (!before.contains(descriptor) && descriptor != socket.descriptor()) {
      EXPECT_NE(::fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0) << descriptor;
    }
  }
}

}  // namespace
}  // namespace plimsoll::http
