#include "http/http1_protocol.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/testing.h"

namespace plimsoll::http {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

using Http1 = Driven<Http1Protocol>;

constexpr char kGet[] = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";

std::string Post(const std::string& target, const std::string& body) {
  return "POST " + target + " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

int Answers(const std::string& sent) {
  int count = 0;
  for (auto at = sent.find("HTTP/1.1 "); at != std::string::npos; at = sent.find("HTTP/1.1 ", at + 1)) {
    ++count;
  }
  return count;
}

TEST(Http1, AnswersARequestThatArrivesByteByByte) {
  FakeHandler handler;
  Http1 http(handler);
  std::string sent;
  for (const char c : Post("/a", "hello")) {
    sent += http.Receive({&c, 1});
  }
  EXPECT_EQ(sent, "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\nPOST /a 5");
  EXPECT_TRUE(http.open());
}

TEST(Http1, GivesTheHandlerTheHeadAsSent) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive("PURGE /a?b=%20 HTTP/1.1\r\nHOST: h\r\nX-One: \t1 \r\nx-one: 2\r\n\r\n");
  ASSERT_THAT(handler.heads(), SizeIs(1));
  const RequestHead head = handler.heads()[0];
  EXPECT_EQ(head.method, "PURGE");
  EXPECT_EQ(head.target, "/a?b=%20");
  EXPECT_EQ(head.headers.Count("x-one"), 2U);
  EXPECT_EQ(head.headers.First("x-one"), "1");
  EXPECT_EQ(head.declared_length, 0U);
}

TEST(Http1, W14_AnswersPipelinedRequestsInOrder) {
  FakeHandler handler;
  Http1 http(handler);
  const std::string none = http.Receive("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n" + Post("/b", "12") + kGet);
  EXPECT_THAT(none, IsEmpty());
  handler.TakeHeld().at(0)->Send(Text(200, "held"));
  const std::string sent = http.Pump();
  EXPECT_EQ(Answers(sent), 3);
  EXPECT_LT(sent.find("held"), sent.find("POST /b 2"));
  EXPECT_LT(sent.find("POST /b 2"), sent.find("GET /a 0"));
  EXPECT_TRUE(http.open());
}

TEST(Http1, W14_KeepsTheConnectionWhenARefusedRequestIsHereToItsEnd) {
  FakeHandler handler;
  Http1 http(handler);
  const std::string sent = http.Receive(Post("/refuse", "whole") + Post("/refuse", "") + kGet);
  EXPECT_EQ(Answers(sent), 3);
  EXPECT_THAT(sent, Not(HasSubstr("connection: close")));
}

TEST(Http1, W12_RefusesAtTheHeadWhileTheBodyIsHeldBack) {
  FakeHandler handler;
  Http1 http(handler);
  const std::string sent = http.Receive("POST /refuse HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n12");
  EXPECT_THAT(sent, AllOf(StartsWith("HTTP/1.1 401 Unauthorized\r\n"), HasSubstr("connection: close\r\n")));
  EXPECT_EQ(http.protocol().state(), Protocol::State::kSentLast);
  EXPECT_THAT(http.Receive("34"), IsEmpty());
  http.Pass(499ms);
  EXPECT_FALSE(http.closed());
  http.Pass(1ms);
  EXPECT_TRUE(http.closed());
}

TEST(Http1, AnswersADeclaredLengthOverTheHandlersLimitBeforeAnyBodyByte) {
  FakeHandler handler(8);
  Http1 http(handler);
  const std::string sent =
      http.Receive("POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
  EXPECT_THAT(sent, AllOf(StartsWith("HTTP/1.1 429 "), HasSubstr("connection: close"), Not(HasSubstr("100 Continue"))));
}

TEST(Http1, StopsReadingAChunkedBodyAtTheHandlersLimit) {
  FakeHandler handler(8);
  Http1 http(handler);
  EXPECT_THAT(http.Receive("POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n12345678\r\n"),
              IsEmpty());
  EXPECT_THAT(http.Receive("1\r\n9\r\n"), AllOf(StartsWith("HTTP/1.1 429 "), HasSubstr("connection: close")));
}

TEST(Http1, ReadsAChunkedBodyWithExtensionsAndTrailers) {
  FakeHandler handler;
  Http1 http(handler);
  const std::string sent = http.Receive(
      "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "3;x=y\r\nabc\r\n0A\r\n0123456789\r\n0\r\nX-Trailer: 1\r\n\r\n" +
      std::string(kGet));
  EXPECT_THAT(sent, HasSubstr("POST /a 13"));
  EXPECT_THAT(sent, HasSubstr("GET /a 0"));
  EXPECT_EQ(handler.heads().at(0).declared_length, std::nullopt);
}

TEST(Http1, ReadsTheEndOfAChunkedBodyByteByByte) {
  FakeHandler handler;
  Http1 http(handler);
  std::string sent;
  for (const std::string body : {"0\r\n\r\n", "1\r\nx\r\n0\r\nX-T: 1\r\n\r\n"}) {
    for (const char c : "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + body) {
      sent += http.Receive({&c, 1});
    }
  }
  EXPECT_THAT(sent, AllOf(HasSubstr("POST /a 0"), HasSubstr("POST /a 1")));
}

TEST(Http1, SaysContinueOnlyWhenTheBodyIsAwaitedAndWelcome) {
  FakeHandler handler;
  Http1 http(handler);
  const std::string expecting = " HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n";
  EXPECT_EQ(http.Receive("POST /a" + expecting), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_THAT(http.Receive("12"), HasSubstr("POST /a 2"));
  EXPECT_THAT(http.Receive("POST /a" + expecting + "12"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(http.Receive("POST /refuse" + expecting), StartsWith("HTTP/1.1 401 "));
}

TEST(Http1, LeavesTheBodyOutOfTheAnswerToHead) {
  FakeHandler handler;
  Http1 http(handler);
  const std::string sent = http.Receive("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(sent, AllOf(HasSubstr("content-length: 9\r\n"), testing::EndsWith("\r\n\r\n")));
}

TEST(Http1, ClosesAfterAnsweringHttp10) {
  FakeHandler handler;
  Http1 http(handler);
  EXPECT_THAT(http.Receive("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), HasSubstr("connection: close"));
  EXPECT_TRUE(http.closed());
}

TEST(Http1, ClosesAfterAnsweringWhenTheClientAsksForIt) {
  FakeHandler handler;
  Http1 http(handler);
  EXPECT_THAT(http.Receive("GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), HasSubstr("connection: close"));
  EXPECT_TRUE(http.closed());
}

TEST(Http1, D31_TreatsAnOfferToUpgradeAsAnOrdinaryRequest) {
  FakeHandler handler;
  Http1 http(handler);
  const std::string sent = http.Receive(
      "GET /a HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: "
      "AAMAAABk\r\n\r\n");
  EXPECT_THAT(sent, StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(Http1, D30_GivesOptionsStarToTheHandler) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive("OPTIONS * HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n");
  ASSERT_THAT(handler.heads(), SizeIs(1));
  EXPECT_EQ(handler.heads()[0].target, "*");
}

TEST(Http1, ReducesATargetWithSchemeAndHostToItsPath) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive("GET http://h/a?b HTTP/1.1\r\nHost: h\r\n\r\nGET http://h HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(handler.heads().at(0).target, "/a?b");
  EXPECT_EQ(handler.heads().at(1).target, "/");
}

struct Malformed {
  const char* what;
  std::string request;
};

// For gtest's messages.
void PrintTo(const Malformed& malformed, std::ostream* out) { *out << malformed.what; }

class Http1Malformed : public testing::TestWithParam<Malformed> {};

// HTTP-2.
TEST_P(Http1Malformed, IsAnswered400AndTheConnectionEnds) {
  FakeHandler handler;
  Http1 http(handler);
  const std::string sent = http.Receive(GetParam().request);
  EXPECT_THAT(sent, AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("connection: close"), HasSubstr("x-plumbing: ")))
      << GetParam().what;
  EXPECT_EQ(Answers(sent), 1);
  EXPECT_THAT(http.Receive(kGet), IsEmpty());
  http.Pass(500ms);
  EXPECT_TRUE(http.closed());
}

std::string Head(const std::string& fields) { return "POST /a HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n"; }

INSTANTIATE_TEST_SUITE_P(
    Table, Http1Malformed,
    testing::Values(
        Malformed{"two lengths", Head("Content-Length: 1\r\nContent-Length: 2\r\n") + "x"},
        Malformed{"the same length twice", Head("Content-Length: 1\r\nContent-Length: 1\r\n") + "x"},
        Malformed{"a list of lengths", Head("Content-Length: 1, 1\r\n") + "x"},
        Malformed{"a signed length", Head("Content-Length: +1\r\n") + "x"},
        Malformed{"an empty length", Head("Content-Length:\r\n")},
        Malformed{"a length past 64 bits", Head("Content-Length: 99999999999999999999\r\n")},
        Malformed{"length and chunks",
                  Head("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n") + "1\r\nx\r\n0\r\n\r\n"},
        Malformed{"chunks and length",
                  Head("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n") + "1\r\nx\r\n0\r\n\r\n"},
        Malformed{"another coding", Head("Transfer-Encoding: gzip\r\n")},
        Malformed{"two codings", Head("Transfer-Encoding: gzip, chunked\r\n")},
        Malformed{"chunked twice", Head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")},
        Malformed{"chunks in HTTP/1.0", "POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        Malformed{"a chunk size that is none", Head("Transfer-Encoding: chunked\r\n") + "xyz\r\n"},
        Malformed{"a chunk longer than it says", Head("Transfer-Encoding: chunked\r\n") + "1\r\nxx\r\n0\r\n\r\n"},
        Malformed{"a chunk size past 64 bits", Head("Transfer-Encoding: chunked\r\n") + "11111111111111111\r\n"},
        Malformed{"a folded line", Head("X-A: one\r\n two\r\n")},
        Malformed{"a folded line with a tab", Head("X-A: one\r\n\ttwo\r\n")},
        Malformed{"a folded empty line", Head("X-A:\r\n two\r\n")},
        Malformed{"NUL in a value", Head(std::string("X-A: o\0ne\r\n", 11))},
        Malformed{"a bare line feed", "GET /a HTTP/1.1\nHost: h\n\n\r\n\r\n"},
        Malformed{"space before the colon", Head("X-A : one\r\n")}, Malformed{"no name", Head(": one\r\n")},
        Malformed{"no colon", Head("X-A\r\n")}, Malformed{"no host", "GET /a HTTP/1.1\r\n\r\n"},
        Malformed{"two hosts", "GET /a HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n"},
        Malformed{"a version of the future", "GET /a HTTP/3.0\r\nHost: h\r\n\r\n"},
        Malformed{"a target that is no path", "GET a HTTP/1.1\r\nHost: h\r\n\r\n"},
        Malformed{"a star for GET", "GET * HTTP/1.1\r\nHost: h\r\n\r\n"},
        Malformed{"a TLS hello", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11)}));

TEST(Http1, AnswersAHeaderBlockOverTheLimitWith431) {
  FakeHandler handler;
  Http1 at_limit(handler, {.max_header_bytes = 100});
  Http1 over_limit(handler, {.max_header_bytes = 100});
  const std::string start = "GET /a HTTP/1.1\r\nHost: h\r\nX: ";
  const auto padded = [&](std::size_t size) { return start + std::string(size - start.size() - 4, 'p') + "\r\n\r\n"; };
  EXPECT_THAT(at_limit.Receive(padded(100)), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(over_limit.Receive(padded(101)), AllOf(StartsWith("HTTP/1.1 431 "), HasSubstr("x-plumbing: no head")));
}

TEST(Http1, AnswersAnEndlessHeaderBlockWith431) {
  FakeHandler handler;
  Http1 http(handler, {.max_header_bytes = 1000});
  std::string sent = http.Receive("GET /a HTTP/1.1\r\n");
  for (int i = 0; i < 200 && sent.empty(); ++i) {
    sent = http.Receive("X-A: 1\r\n");
  }
  EXPECT_THAT(sent, StartsWith("HTTP/1.1 431 "));
}

TEST(Http1, RefusesEndlessChunkExtensionsAndTrailers) {
  for (const std::string start : {"1;", "0\r\nX: "}) {
    FakeHandler handler;
    Http1 http(handler, {.max_header_bytes = 1000});
    std::string sent = http.Receive(Head("Transfer-Encoding: chunked\r\n") + start);
    for (int i = 0; i < 20 && sent.empty(); ++i) {
      sent = http.Receive(std::string(100, 'x'));
    }
    EXPECT_THAT(sent, StartsWith("HTTP/1.1 400 ")) << start;
  }
}

TEST(Http1, MarksMalformedBodiesWithTheHeadItKnows) {
  FakeHandler handler;
  Http1 http(handler);
  EXPECT_THAT(http.Receive(Head("Transfer-Encoding: chunked\r\n") + "zzz\r\n"), HasSubstr("x-plumbing: /a\r\n"));
}

TEST(Http1, ReplacesAnAnswerThatMayNotGoOut) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
  Response response = Text(200, "body");
  response.headers.Add("x-bad", "a\r\nset-cookie: b");
  handler.TakeHeld().at(0)->Send(std::move(response));
  EXPECT_EQ(http.Pump(), "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n");
}

}  // namespace
}  // namespace plimsoll::http
