#include "http/http2_protocol.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/http2_testclient.h"
#include "http/testing.h"

namespace plimsoll::http {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;
using Body = Http2TestClient::Body;

constexpr std::uint32_t kNoError = 0;
constexpr std::uint32_t kRefusedStream = 7;
constexpr std::uint32_t kCancel = 8;
constexpr std::uint32_t kEnhanceYourCalm = 11;

Headers With(std::string_view name, std::string_view value) {
  Headers headers;
  headers.Add(name, value);
  return headers;
}

// A client and a server that talk until both have nothing more to say.
struct Pair {
  explicit Pair(Handler& handler, Limits limits = {}) : server(handler, limits) {}

  void Talk() {
    Hear(server.Pump());
    for (std::string out = client.Output(); !out.empty(); out = client.Output()) {
      Hear(server.Receive(out));
    }
  }
  void Hear(const std::string& sent) { client.Input(sent); }
  void Pass(std::chrono::milliseconds time) {
    Hear(server.Pass(time));
    Talk();
  }
  const Http2TestClient::Seen& Ask(std::string_view method, std::string_view path, const Headers& headers = {},
                                   std::string body = "", Body part = Body::kWhole) {
    const auto stream = client.Submit(method, path, headers, std::move(body), part);
    Talk();
    return client.seen(stream);
  }

  Http2TestClient client;
  Driven<Http2Protocol> server;
};

TEST(Http2, AnswersARequest) {
  FakeHandler handler;
  Pair pair(handler);
  const auto& seen = pair.Ask("POST", "/a?b", With("x-a", "1"), "hello");
  EXPECT_EQ(seen.status(), 200);
  EXPECT_EQ(seen.body, "POST /a?b 5");
  EXPECT_EQ(seen.headers.Only("content-length"), "11");
  EXPECT_EQ(seen.closed, kNoError);
  const RequestHead head = handler.heads().at(0);
  EXPECT_EQ(head.version, Version::kHttp2);
  EXPECT_EQ(head.headers.Only("x-a"), "1");
  EXPECT_EQ(head.headers.Only("host"), "h");
  EXPECT_EQ(head.declared_length, std::nullopt);
}

TEST(Http2, AnswersManyStreamsOfOneConnection) {
  FakeHandler handler;
  Pair pair(handler);
  pair.Talk();
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 100; ++i) {
      pair.client.Submit("GET", "/hold");
    }
    pair.Talk();
    auto held = handler.TakeHeld();
    ASSERT_THAT(held, SizeIs(100));
    for (auto at = held.rbegin(); at != held.rend(); ++at) {
      (*at)->Send(Text(200, "x"));
    }
    pair.Talk();
  }
  for (std::int32_t stream = 1; stream < 2000; stream += 2) {
    EXPECT_EQ(pair.client.seen(stream).body, "x");
  }
}

TEST(Http2, SendsAnAnswerLargerThanEveryWindow) {
  FakeHandler handler;
  Pair pair(handler);
  EXPECT_THAT(pair.Ask("GET", "/big/3000000").body, SizeIs(3'000'000));
}

TEST(Http2, ReadsABodyLargerThanEveryWindow) {
  FakeHandler handler(4'000'000);
  Pair pair(handler);
  EXPECT_EQ(pair.Ask("POST", "/a", {}, std::string(3'000'000, 'x')).body, "POST /a 3000000");
}

TEST(Http2, SendsTrailersAfterTheBody) {
  FakeHandler handler;
  Pair pair(handler);
  const auto& seen = pair.Ask("POST", "/hold", {}, "x");
  Response response = Text(200, "message");
  response.trailers.Add("grpc-status", "0");
  handler.TakeHeld().at(0)->Send(std::move(response));
  pair.Talk();
  EXPECT_EQ(seen.body, "message");
  EXPECT_EQ(seen.header_blocks, 2);
  EXPECT_EQ(seen.trailers.Only("grpc-status"), "0");
  EXPECT_EQ(seen.headers.Count("content-length"), 0U);
  EXPECT_EQ(seen.closed, kNoError);
}

TEST(Http2, SendsTrailersOnlyAsOneHeaderBlock) {
  FakeHandler handler;
  Pair pair(handler);
  const auto& seen = pair.Ask("POST", "/hold", {}, "x");
  Response response = Text(200, "");
  response.trailers.Add("grpc-status", "7");
  handler.TakeHeld().at(0)->Send(std::move(response));
  pair.Talk();
  EXPECT_EQ(seen.header_blocks, 1);
  EXPECT_EQ(seen.headers.Only("grpc-status"), "7");
  EXPECT_TRUE(seen.ended);
}

TEST(Http2, W12_RefusesAtTheHeadAndResetsTheRestWithoutAnError) {
  FakeHandler handler;
  Pair pair(handler);
  const auto& seen = pair.Ask("POST", "/refuse", With("content-length", "100"), "12", Body::kPart);
  EXPECT_EQ(seen.status(), 401);
  EXPECT_EQ(seen.body, "refused");
  EXPECT_TRUE(seen.ended);
  EXPECT_EQ(seen.closed, kNoError);
  EXPECT_EQ(pair.Ask("GET", "/a").status(), 200);
}

TEST(Http2, AnswersADeclaredLengthOverTheHandlersLimitBeforeAnyBodyByte) {
  FakeHandler handler(8);
  Pair pair(handler);
  EXPECT_EQ(pair.Ask("POST", "/a", With("content-length", "9"), "", Body::kPart).status(), 429);
  EXPECT_EQ(handler.heads().at(0).declared_length, 9U);
}

TEST(Http2, StopsReadingABodyAtTheHandlersLimit) {
  FakeHandler handler(8);
  Pair pair(handler);
  EXPECT_EQ(pair.Ask("POST", "/a", {}, "12345678").status(), 200);
  EXPECT_EQ(pair.Ask("POST", "/a", {}, "123456789").status(), 429);
}

TEST(Http2, LeavesTheBodyOutOfTheAnswerToHead) {
  FakeHandler handler;
  Pair pair(handler);
  const auto& seen = pair.Ask("HEAD", "/a");
  EXPECT_EQ(seen.headers.Only("content-length"), "9");
  EXPECT_THAT(seen.body, IsEmpty());
  EXPECT_EQ(seen.closed, kNoError);
}

TEST(Http2, D30_GivesOptionsStarToTheHandler) {
  FakeHandler handler;
  Pair pair(handler);
  pair.Ask("OPTIONS", "*", {}, "", Body::kPart);
  EXPECT_EQ(handler.heads().at(0).target, "*");
}

TEST(Http2, AnswersAHeaderBlockOverTheLimitWith431) {
  FakeHandler handler;
  Pair pair(handler, {.max_header_bytes = 1000});
  const auto& seen = pair.Ask("GET", "/a", With("x-a", std::string(1000, 'a')));
  EXPECT_EQ(seen.status(), 431);
  EXPECT_EQ(seen.headers.Only("x-plumbing"), "no head");
  EXPECT_THAT(handler.heads(), IsEmpty());
  EXPECT_EQ(pair.Ask("GET", "/a").status(), 200);
}

TEST(Http2, BoundsTheStreamsOfOneConnection) {
  FakeHandler handler;
  Pair pair(handler, {.max_streams = 2});
  // Sent before the server's settings are known, so the client cannot hold them back itself.
  for (int i = 0; i < 3; ++i) {
    pair.client.Submit("GET", "/hold");
  }
  pair.Hear(pair.server.Receive(pair.client.Output()));
  EXPECT_THAT(handler.TakeHeld(), SizeIs(2));
  pair.Talk();
  EXPECT_EQ(pair.client.seen(5).closed, kRefusedStream);
}

TEST(Http2Leaving, RequestsStopWhenTheStreamIsReset) {
  FakeHandler handler;
  Pair pair(handler);
  pair.Ask("GET", "/hold");
  pair.Ask("GET", "/hold");
  auto held = handler.TakeHeld();
  pair.client.Reset(1);
  pair.Talk();
  EXPECT_TRUE(held.at(0)->client_gone().stop_requested());
  EXPECT_FALSE(held.at(1)->client_gone().stop_requested());
  held.at(0)->Send(Text(200, "late"));
  held.at(1)->Send(Text(200, "right"));
  pair.Talk();
  EXPECT_EQ(pair.client.seen(1).header_blocks, 0);
  EXPECT_EQ(pair.client.seen(3).body, "right");
}

TEST(Http2Leaving, RequestsStopWhenTheConnectionCloses) {
  FakeHandler handler;
  Pair pair(handler);
  pair.Ask("GET", "/hold");
  auto held = handler.TakeHeld();
  pair.server.ReceiveEnd();
  EXPECT_TRUE(held.at(0)->client_gone().stop_requested());
}

TEST(Http2Leaving, ResetsTheStreamWhenTheHandlerGivesTheExchangeUp) {
  FakeHandler handler;
  Pair pair(handler);
  EXPECT_EQ(pair.Ask("GET", "/drop").closed, kCancel);
}

TEST(Http2Time, AnswersABodyThatStallsWith408) {
  FakeHandler handler;
  Pair pair(handler);
  const auto& seen = pair.Ask("POST", "/a", {}, "12", Body::kPart);
  pair.Pass(29999ms);
  EXPECT_EQ(seen.status(), 0);
  pair.Pass(1ms);
  EXPECT_EQ(seen.status(), 408);
  EXPECT_EQ(seen.headers.Only("x-plumbing"), "/a");
  EXPECT_EQ(seen.closed, kNoError);
}

TEST(Http2Time, ResetsAStreamWhoseAnswerIsNotSentInAnswerTime) {
  FakeHandler handler;
  Pair pair(handler);
  const auto& seen = pair.Ask("GET", "/hold");
  auto held = handler.TakeHeld();
  pair.Pass(359s);
  EXPECT_FALSE(held.at(0)->client_gone().stop_requested());
  pair.Pass(1s);
  EXPECT_TRUE(held.at(0)->client_gone().stop_requested());
  EXPECT_EQ(seen.closed, kCancel);
}

TEST(Http2Time, ClosesAnIdleConnectionAfterIdleTime) {
  FakeHandler handler;
  Pair pair(handler);
  pair.Ask("GET", "/a");
  pair.Pass(119s);
  EXPECT_TRUE(pair.server.open());
  pair.client.Ping();  // is no request
  pair.Talk();
  pair.Pass(1s);
  EXPECT_EQ(pair.client.goaway(), kNoError);
  EXPECT_TRUE(pair.server.closed());
}

TEST(Http2Time, EndsAConnectionWhoseHeaderBlockStalls) {
  FakeHandler handler;
  Pair pair(handler);
  pair.Talk();
  pair.client.Submit("GET", "/a", With("x-a", std::string(100, 'a')));
  const std::string out = pair.client.Output();
  pair.Hear(pair.server.Receive(std::string_view(out).substr(0, out.size() - 10)));
  pair.Pass(4999ms);
  EXPECT_TRUE(pair.server.open());
  pair.Pass(1ms);
  EXPECT_TRUE(pair.server.closed());
}

TEST(Http2Drain, AnswersWhatIsInFlightAndCloses) {
  FakeHandler handler;
  Pair pair(handler);
  const auto& seen = pair.Ask("GET", "/hold");
  pair.Hear(pair.server.Drain());
  EXPECT_EQ(pair.client.goaway(), kNoError);
  EXPECT_TRUE(pair.server.open());
  handler.TakeHeld().at(0)->Send(Text(200, "last"));
  pair.Talk();
  EXPECT_EQ(seen.body, "last");
  EXPECT_TRUE(pair.server.closed());
}

TEST(Http2Drain, ClosesIdleConnections) {
  FakeHandler handler;
  Pair pair(handler);
  pair.Talk();
  pair.Hear(pair.server.Drain());
  EXPECT_EQ(pair.client.goaway(), kNoError);
  EXPECT_TRUE(pair.server.closed());
}

// HTTP-7.
TEST(Http2Abuse, EndsAConnectionThatOpensAndResetsStreamsWithoutEnd) {
  FakeHandler handler;
  Pair pair(handler);
  int streams = 0;
  while (!pair.server.closed() && streams < 5000) {
    pair.client.Reset(pair.client.Submit("GET", "/hold"));
    const auto stream = pair.client.Submit("GET", "/hold");
    pair.Hear(pair.server.Receive(pair.client.Output()));
    pair.client.Reset(stream);
    pair.Hear(pair.server.Receive(pair.client.Output()));
    handler.TakeHeld();
    ++streams;
  }
  EXPECT_TRUE(pair.server.closed());
  EXPECT_LE(streams, 1001);
}

TEST(Http2Abuse, EndsAConnectionThatMakesTheServerResetWithoutEnd) {
  FakeHandler handler;
  Pair pair(handler);
  pair.Talk();
  int streams = 0;
  while (!pair.server.closed() && streams < 5000) {
    pair.client.Submit("GET", "/hold", With("content-length", "5"));  // and no body: the server's to reset
    pair.Hear(pair.server.Receive(pair.client.Output()));
    handler.TakeHeld();
    ++streams;
  }
  EXPECT_TRUE(pair.server.closed());
  EXPECT_GT(streams, 100);
  EXPECT_LE(streams, 1001);
  EXPECT_EQ(pair.client.goaway(), kEnhanceYourCalm);
}

TEST(Http2Abuse, EndsAConnectionThatPingsWithoutReading) {
  FakeHandler handler;
  Driven<Http2Protocol> server(handler);
  Http2TestClient client;
  server.Receive(client.Output());
  for (int i = 0; i < 600 && !server.closed(); ++i) {
    client.Ping();
    server.protocol().Receive(client.Output(), base::SteadyTime());  // nothing is written
  }
  server.Pump();
  EXPECT_TRUE(server.closed());
}

TEST(Http2Abuse, EndsAConnectionThatContinuesAHeaderBlockWithoutEnd) {
  FakeHandler handler;
  Driven<Http2Protocol> server(handler);
  server.Receive(Http2TestClient().Output());
  server.Receive(std::string("\0\0\1\1\0\0\0\0\1\x82", 10));  // HEADERS without END_HEADERS
  for (int i = 0; i < 20; ++i) {
    server.Receive(std::string("\0\0\1\x09\0\0\0\0\1\x84", 10));
  }
  EXPECT_TRUE(server.closed());
}

}  // namespace
}  // namespace plimsoll::http
