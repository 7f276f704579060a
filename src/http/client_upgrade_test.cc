#include <poll.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/client.h"
#include "http/testing_listener.h"
#include "os/socket_pair.h"

namespace plimsoll::http {
namespace {

using namespace std::chrono_literals;
using testing::StartsWith;
using Cause = Failure::Cause;

constexpr std::string_view kSwitch = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";

Bounds In(std::chrono::milliseconds time) { return {.deadline = std::chrono::steady_clock::now() + time}; }

std::unique_ptr<ClientConnection> Open(Client& client, const std::string& path) {
  auto opened = client.Open({.kind = Origin::Kind::kUnixSocket, .host = "peer", .socket_path = path}, In(5s));
  PLIMSOLL_CHECK(std::holds_alternative<std::unique_ptr<ClientConnection>>(opened));
  return std::get<std::unique_ptr<ClientConnection>>(std::move(opened));
}

// A client, a peer and one connection between them.
struct Joined {
  Joined() {
    auto made = Client::Create({.ca_file = {}, .max_body = 100});
    PLIMSOLL_CHECK(made.has_value());
    client = std::move(*made);
    connection = Open(*client, listener.path());
  }
  UpgradeOutcome Upgrade(const Bounds& bounds = In(5s), std::string body = {}) {
    return connection->Upgrade({.target = "/attach", .headers = {}, .body = std::move(body)}, "tcp", bounds);
  }

  TestUnixListener listener;
  std::unique_ptr<Client> client;
  std::unique_ptr<ClientConnection> connection;
};

const Failure& FailureIn(const UpgradeOutcome& outcome) {
  PLIMSOLL_CHECK(std::holds_alternative<Failure>(outcome));
  return std::get<Failure>(outcome);
}

std::string ReadSome(int socket) {
  pollfd waiting{.fd = socket, .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&waiting, 1, 5000), 1);
  std::array<char, 1024> buffer;
  return {buffer.data(), os::Receive(socket, buffer).bytes};
}

TEST(ClientUpgrade, HandsOverTheSocketAndWhatCameEarly) {
  Joined joined;
  std::string request;
  std::jthread peer([&] { request = joined.listener.ServeAndEcho(std::string(kSwitch) + "early"); });
  auto outcome = joined.Upgrade();
  ASSERT_TRUE(std::holds_alternative<Upgraded>(outcome)) << FailureIn(outcome).detail;
  auto& upgraded = std::get<Upgraded>(outcome);
  EXPECT_EQ(upgraded.headers.Only("upgrade"), "tcp");
  EXPECT_FALSE(joined.connection->usable());
  joined.connection.reset();  // the socket outlives the connection and the client
  joined.client.reset();
  if (upgraded.early.size() < 5) {
    upgraded.early += ReadSome(upgraded.socket.get());
  }
  EXPECT_EQ(upgraded.early, "early");
  EXPECT_EQ(os::Peek(upgraded.socket.get()), os::Transfer::kWouldBlock);  // and does not block
  EXPECT_EQ(os::Send(upgraded.socket.get(), "hello").bytes, 5U);
  EXPECT_EQ(ReadSome(upgraded.socket.get()), "hello");
  upgraded.socket.Close();
  peer.join();
  EXPECT_THAT(request, StartsWith("POST /attach HTTP/1.1\r\nhost: peer\r\nconnection: Upgrade\r\nupgrade: tcp\r\n"));
}

TEST(ClientUpgrade, KeepsTheRestOfAnEarlyFlood) {
  Joined joined;
  const std::string flood(500'000, 'x');
  std::jthread peer([&] { joined.listener.Serve(std::string(kSwitch) + flood); });
  auto outcome = joined.Upgrade();
  auto& upgraded = std::get<Upgraded>(outcome);
  EXPECT_LE(upgraded.early.size(), 16U * 1024);
  std::string heard = upgraded.early;
  for (std::string more = "-"; !more.empty(); heard += more) {
    more = ReadSome(upgraded.socket.get());
  }
  EXPECT_EQ(heard, flood);
}

TEST(ClientUpgrade, WaitsForTheWholeRequestToBeTaken) {
  Joined joined;
  std::jthread peer([&] { joined.listener.Serve(std::string(kSwitch)); });  // and then reads little of a long body
  const auto outcome = joined.Upgrade(In(300ms), std::string(20'000'000, 'x'));
  ASSERT_TRUE(std::holds_alternative<Failure>(outcome));
  EXPECT_EQ(FailureIn(outcome).sent, Sent::kMaybe);
}

TEST(ClientUpgrade, GivesAnOrdinaryAnswerWhenThePeerDoesNotWantTo) {
  Joined joined;
  std::jthread peer([&] { joined.listener.Serve("HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\nnone"); });
  const auto outcome = joined.Upgrade();
  ASSERT_TRUE(std::holds_alternative<Response>(outcome));
  EXPECT_EQ(std::get<Response>(outcome).status, 404);
  EXPECT_EQ(std::get<Response>(outcome).body, "none");
  EXPECT_TRUE(joined.connection->usable());
  joined.connection.reset();  // the peer waits for it
}

struct Answered {
  const char* what;
  std::string answer;
  Cause cause;
};

class ClientUpgradeAnswers : public testing::TestWithParam<Answered> {};

TEST_P(ClientUpgradeAnswers, FailAfterSending) {
  Joined joined;
  std::jthread peer([&] { joined.listener.Serve(GetParam().answer); });
  const auto outcome = joined.Upgrade();
  EXPECT_EQ(FailureIn(outcome).cause, GetParam().cause) << GetParam().what << ": " << FailureIn(outcome).detail;
  EXPECT_EQ(FailureIn(outcome).sent, Sent::kMaybe);
  EXPECT_FALSE(joined.connection->usable());
}

std::string Interim(int count) {
  std::string answers;
  for (int i = 0; i < count; ++i) {
    answers += "HTTP/1.1 100 Continue\r\n\r\n";
  }
  return answers;
}

INSTANTIATE_TEST_SUITE_P(
    Table, ClientUpgradeAnswers,
    testing::Values(Answered{"nothing", "", Cause::kClosed},
                    Answered{"half a head", "HTTP/1.1 101 UPGRADED\r\nUpgr", Cause::kClosed},
                    Answered{"garbage", "\x01\x02\x03\x04\r\n\r\n", Cause::kMalformed},
                    Answered{"another protocol", "HTTP/1.1 101 OK\r\nUpgrade: websocket\r\n\r\n", Cause::kMalformed},
                    Answered{"no protocol", "HTTP/1.1 101 OK\r\n\r\n", Cause::kMalformed},
                    Answered{"a long head", "HTTP/1.1 101 OK\r\nx: " + std::string(70'000, 'x'), Cause::kMalformed},
                    Answered{"no end of interim answers", Interim(17), Cause::kMalformed},
                    Answered{"a body over the limit", "HTTP/1.1 200 OK\r\n\r\n" + std::string(101, 'x'),
                             Cause::kTooLarge}));

TEST(ClientUpgrade, LeavesInterimAnswersBehind) {
  Joined joined;
  std::jthread peer([&] { joined.listener.Serve(Interim(16) + std::string(kSwitch)); });
  EXPECT_TRUE(std::holds_alternative<Upgraded>(joined.Upgrade()));
}

TEST(ClientUpgrade, IsMalformedWhereNobodyAskedForIt) {
  for (const std::string& answer : {std::string(kSwitch), std::string("HTTP/1.1 101 OK\r\n\r\n")}) {
    Joined joined;
    std::jthread peer([&] { joined.listener.Serve(answer); });
    const auto outcome = joined.connection->Call({.headers = {}, .body = {}}, In(5s));
    ASSERT_TRUE(std::holds_alternative<Failure>(outcome));
    EXPECT_EQ(std::get<Failure>(outcome).cause, Cause::kMalformed);
  }
}

TEST(ClientUpgrade, EndsAtItsDeadlineAndOnACancel) {
  Joined silent;
  EXPECT_EQ(FailureIn(silent.Upgrade(In(50ms))).cause, Cause::kDeadline);
  EXPECT_FALSE(silent.connection->usable());
  EXPECT_EQ(FailureIn(silent.Upgrade()).sent, Sent::kNothing);
  const auto other = Open(*silent.client, silent.listener.path());
  std::stop_source stop;
  std::jthread canceler([&] {
    std::this_thread::sleep_for(30ms);
    stop.request_stop();
  });
  const auto outcome =
      other->Upgrade({.headers = {}, .body = {}}, "tcp", {.deadline = In(5s).deadline, .stop = stop.get_token()});
  EXPECT_EQ(FailureIn(outcome).cause, Cause::kCanceled);
}

TEST(ClientUpgrade, DoesNotSendAProtocolThatWouldBreakTheMessage) {
  Joined joined;
  for (const char* protocol : {"", "tcp\r\nx: y", "a b"}) {
    const auto outcome = joined.connection->Upgrade({.headers = {}, .body = {}}, protocol, In(5s));
    EXPECT_EQ(FailureIn(outcome).cause, Cause::kInvalid);
    EXPECT_EQ(FailureIn(outcome).sent, Sent::kNothing);
    joined.connection = Open(*joined.client, joined.listener.path());
  }
}

}  // namespace
}  // namespace plimsoll::http
