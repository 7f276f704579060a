// W52 without a fuzzer: some thousand requests near enough to good ones that every layer sees some of them.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>

#include "rpc/any_request_for_test.h"
#include "rpc/gzip.h"
#include "rpc/service_for_test.h"

namespace plimsoll::rpc {
namespace {

using Words = std::initializer_list<std::string_view>;

constexpr int kRequests = 4000;
constexpr std::uint32_t kSeed = 20240229;  // the same requests at every run

class Generator {
 public:
  enum class Token { kGood, kBadOrNone };

  // A request in the shape ServeAnyRequest takes.
  std::string Request(Token token) {
    std::string text;
    if (Percent(40)) {  // what follows is reached more often
      text = "POST /plimsoll.v1.SandboxService/Run\ncontent-type: application/json\n";
    } else {
      text.append(Pick({"POST", "POST", "POST", "GET", "HEAD", "PUT", "", "P\x01"}));
      text.append(" ").append(Target()).append("\n");
      Field(text, 95, "content-type",
            {"application/json", "application/proto", "application/grpc", "application/grpc+proto",
             "application/grpc-web", "application/grpc-web+proto", "application/connect+json", "text/plain", "", "/;"});
    }
    Field(text, 15, "content-encoding", {"gzip", "identity", "br", "gzip, gzip", ""});
    Field(text, 15, "grpc-encoding", {"gzip", "identity", "br", ""});
    Field(text, 5, "connect-timeout-ms", {"0", "60000", "99999999999", "-1", "1e3", ""});
    Field(text, 5, "grpc-timeout", {"0m", "60S", "999999999H", "1", "S", ""});
    Field(text, 5, "connect-protocol-version", {"1", "2", ""});
    Field(text, 50, "plimsoll-request-id", {test::kRequestId, "00", "0123456789ABCDEF0123456789abcdef", ""});
    Field(text, 30, "http1", {"1"});
    if (token == Token::kGood) {
      text.append("authorization: Bearer ").append(test::kTestToken).append("\n");
    } else {
      Field(text, 60, "authorization", {"Bearer x", "Bearer ", "Basic eDp5", "bearer", "", "Bearer  a b", "\xff"});
    }
    return text + "\n" + Body();
  }

 private:
  std::size_t Below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }
  bool Percent(std::size_t percent) { return Below(100) < percent; }
  std::string_view Pick(Words words) { return words.begin()[Below(words.size())]; }

  void Field(std::string& text, std::size_t percent, std::string_view name, Words values) {
    while (Percent(percent)) {  // now and then twice
      text.append(name).append(": ").append(Pick(values)).append("\n");
      percent /= 10;
    }
  }

  std::string Target() {
    if (Percent(10)) {
      return std::string(Pick({"/", "*", "/healthz", "/readyz", "", "//", "/plimsoll.v1.SandboxService/"}));
    }
    const auto procedure = Pick({"Run", "Run", "Run", "Run", "Run", "Describe", "OpenSession", "SessionRun",
                                 "SessionRun", "CloseSession", "Walk", "Run?x", "Run/"});
    return std::string("/plimsoll.v1.SandboxService/").append(procedure);
  }

  std::string Body() {
    std::string body(
        Pick({R"({"protocol":5,"javascript":{"code":"1"}})",
              R"({"protocol":5,"sessionId":"$SESSION","javascript":{"code":"1"}})", R"({"protocol":4})", "[[[[[[[[",
              "{}", "", "\x08\x05\x52\x03\x0a\x01\x31", std::string_view("\0\0\0\0\7\x08\x05\x52\x03\x0a\x01\x31", 12),
              std::string_view("\0\xff\xff\xff\xff", 5), R"({"protocol":5,"project":{"steps":["x"]}})"}));
    for (std::size_t changes = Percent(50) ? 0 : Below(6); changes > 0; --changes) {
      body.insert(Below(body.size() + 1), 1, static_cast<char>(Below(256)));
      body.erase(Below(body.size()), Below(3));
    }
    return Percent(20) ? GzipDeflate(body) : body;
  }

  std::mt19937 random_{kSeed};
};

TEST(Service, W52_AnyRequestGetsOneAnswerThatKeepsEveryPromise) {
  Generator generator;
  int ran = 0;
  for (int i = 0; i < kRequests; ++i) {
    const std::string request = generator.Request(Generator::Token::kGood);
    const test::Served served = test::ServeAnyRequest(request);
    ASSERT_EQ(test::BrokenPromise(served), "") << "request " << i << ":\n" << testing::PrintToString(request);
    ran += served.ran ? 1 : 0;
  }
  EXPECT_GT(ran, kRequests / 100);  // some of them were good ones
  EXPECT_LT(ran, kRequests / 2);
}

TEST(Service, W52_TheCallersSessionIsThereToBeCalled) {
  const std::string head = "POST /plimsoll.v1.SandboxService/SessionRun\ncontent-type: application/json\n";
  const std::string body =
      "\n"
      R"({"protocol":5,"sessionId":"$SESSION","javascript":{"code":"1"}})";
  const std::string token = "authorization: Bearer " + std::string(test::kTestToken) + "\n";
  const test::Served served = test::ServeAnyRequest(head + token + body);
  EXPECT_EQ(served.response.status, 200) << served.response.body;
  EXPECT_TRUE(served.ran);
  EXPECT_EQ(test::ServeAnyRequest(head + body).response.status, 401);
}

TEST(Service, W52_NothingIsDispatchedWithoutAValidToken) {
  Generator generator;
  for (int i = 0; i < kRequests; ++i) {
    const std::string request = generator.Request(Generator::Token::kBadOrNone);
    const test::Served served = test::ServeAnyRequest(request);
    ASSERT_EQ(test::BrokenPromise(served), "") << "request " << i << ":\n" << testing::PrintToString(request);
    ASSERT_FALSE(served.ran);
  }
}

}  // namespace
}  // namespace plimsoll::rpc
