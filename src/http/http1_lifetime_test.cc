// Time limits, leaving and draining over HTTP/1.1.
#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/http1_protocol.h"
#include "http/testing.h"

namespace plimsoll::http {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Http1 = Driven<Http1Protocol>;

constexpr char kGet[] = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr char kHold[] = "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr char kHalf[] = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n12";

TEST(Http1Time, ClosesAConnectionThatSendsNothingInHeaderTime) {
  FakeHandler handler;
  Http1 http(handler);
  EXPECT_THAT(http.Pass(4999ms), IsEmpty());
  EXPECT_TRUE(http.open());
  EXPECT_THAT(http.Pass(1ms), IsEmpty());
  EXPECT_TRUE(http.closed());
}

TEST(Http1Time, AnswersATricklingHeaderBlockWith408) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive("GET /a HTTP/1.1\r\n");
  http.Pass(3s);
  http.Receive("Host: h\r\n");  // bytes do not buy time
  EXPECT_THAT(http.Pass(2s),
              AllOf(StartsWith("HTTP/1.1 408 "), HasSubstr("connection: close"), HasSubstr("x-plumbing: no head")));
}

TEST(Http1Time, AnswersATricklingBodyWith408) {
  FakeHandler handler;
  Http1 http(handler);
  http.Pass(2s);
  http.Receive(kHalf);
  EXPECT_THAT(http.Pass(27999ms), IsEmpty());
  EXPECT_THAT(http.Pass(1ms), AllOf(StartsWith("HTTP/1.1 408 "), HasSubstr("x-plumbing: /a")));
}

TEST(Http1Time, StartsAnewWithEachRequest) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive(kGet);
  http.Pass(60s);  // idle, which may last two minutes
  http.Receive("GET /a HTTP/1.1\r\n");
  EXPECT_THAT(http.Pass(4999ms), IsEmpty());
  EXPECT_TRUE(http.open());
  EXPECT_THAT(http.Receive("Host: h\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST(Http1Time, ClosesAnIdleConnectionAfterIdleTime) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive(kGet);
  http.Pass(119s);
  EXPECT_TRUE(http.open());
  EXPECT_THAT(http.Pass(1s), IsEmpty());
  EXPECT_TRUE(http.closed());
}

TEST(Http1Time, TellsTheHandlerWhenAnswerTimeIsOver) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive(kHold);
  auto held = handler.TakeHeld();
  http.Pass(359s);
  EXPECT_FALSE(held.at(0)->client_gone().stop_requested());
  http.Pass(1s);
  EXPECT_TRUE(held.at(0)->client_gone().stop_requested());
  EXPECT_TRUE(http.closed());
}

TEST(Http1Leaving, RequestsStopWhenTheClientCloses) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive(kHold);
  auto held = handler.TakeHeld();
  EXPECT_FALSE(held.at(0)->client_gone().stop_requested());
  http.ReceiveEnd();
  EXPECT_TRUE(held.at(0)->client_gone().stop_requested());
}

TEST(Http1Leaving, TakesAPipelinedByteForTheNextRequest) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive(kHold);
  auto held = handler.TakeHeld();
  http.Receive("G");
  EXPECT_FALSE(held.at(0)->client_gone().stop_requested());
  http.ReceiveEnd();
  EXPECT_TRUE(held.at(0)->client_gone().stop_requested());
}

TEST(Http1Leaving, RequestsStopWhenTheConnectionIsTornDown) {
  FakeHandler handler;
  std::shared_ptr<Exchange> held;
  {
    Http1 http(handler);
    http.Receive(kHold);
    held = handler.TakeHeld().at(0);
  }
  EXPECT_TRUE(held->client_gone().stop_requested());
  held->Send(Text(200, "late"));  // harmless
}

TEST(Http1Leaving, StillAnswersAClientThatOnlyStoppedSending) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive(kHold);
  http.ReceiveEnd();
  handler.TakeHeld().at(0)->Send(Text(200, "late"));
  EXPECT_THAT(http.Pump(), AllOf(HasSubstr("late"), HasSubstr("connection: close")));
  EXPECT_TRUE(http.closed());
}

TEST(Http1Leaving, EndsWithoutAnAnswerWhenARequestIsCutOff) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive(kHalf);
  EXPECT_THAT(http.ReceiveEnd(), IsEmpty());
  EXPECT_TRUE(http.closed());
}

TEST(Http1Leaving, ClosesWhenTheHandlerGivesTheExchangeUp) {
  FakeHandler handler;
  Http1 http(handler);
  EXPECT_THAT(http.Receive("GET /drop HTTP/1.1\r\nHost: h\r\n\r\n"), IsEmpty());
  EXPECT_TRUE(http.closed());
}

TEST(Http1Leaving, HoldsBackOnlySoMuchOfAPipeline) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive(kHold);
  http.Receive(std::string(31 * 1024, 'x'));
  EXPECT_EQ(http.protocol().appetite(), Protocol::Appetite::kHungry);
  http.Receive(std::string(1024, 'x'));
  EXPECT_EQ(http.protocol().appetite(), Protocol::Appetite::kFull);
}

TEST(Http1Drain, ClosesIdleConnectionsAtOnce) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive(kGet);
  EXPECT_THAT(http.Drain(), IsEmpty());
  EXPECT_TRUE(http.closed());
}

TEST(Http1Drain, AnswersARequestInFlightAndCloses) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive(kHold);
  EXPECT_THAT(http.Drain(), IsEmpty());
  EXPECT_TRUE(http.open());
  handler.TakeHeld().at(0)->Send(Text(200, "last"));
  EXPECT_THAT(http.Pump(), AllOf(HasSubstr("last"), HasSubstr("connection: close")));
  EXPECT_TRUE(http.closed());
}

TEST(Http1Drain, AnswersARequestThatIsStillArriving) {
  FakeHandler handler;
  Http1 http(handler);
  http.Receive(kHalf);
  http.Drain();
  EXPECT_THAT(http.Receive("34"), AllOf(HasSubstr("POST /a 4"), HasSubstr("connection: close")));
  EXPECT_TRUE(http.closed());
}

TEST(Http1Hold, IsReleasedWithTheAnswerAtTheLatest) {
  class Holding final : public Handler {
   public:
    std::variant<Response, ReadBody> OnHead(const RequestHead&) override {
      ++held;
      return ReadBody{.max_body = 4, .hold = base::Cleanup([this] { --held; })};
    }
    void OnRequest(std::shared_ptr<Exchange> exchange) override {
      held_during_request = held;
      exchange->Send(Text(200, ""));
    }
    Response OnBodyTooLarge(const RequestHead&) override { return Text(429, ""); }
    int held = 0;
    int held_during_request = 0;
  };
  Holding handler;
  Http1 http(handler);
  http.Receive("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n1234");
  EXPECT_EQ(handler.held_during_request, 1);
  EXPECT_EQ(handler.held, 0);
  http.Receive("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(handler.held, 0);
  Http1 cut(handler);
  cut.Receive(kHalf);
  EXPECT_EQ(handler.held, 1);
  cut.ReceiveEnd();
  EXPECT_EQ(handler.held, 0);
}

}  // namespace
}  // namespace plimsoll::http
