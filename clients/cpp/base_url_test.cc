#include "clients/cpp/base_url.h"

#include <gtest/gtest.h>

namespace plimsoll::client {
namespace {

BaseUrl Parsed(std::string_view text) { return ParseBaseUrl(text, PlainHttp::kLoopbackOnly).value(); }

ErrorClass Refusal(std::string_view text) {
  const auto url = ParseBaseUrl(text, PlainHttp::kLoopbackOnly);
  return url ? ErrorClass::kOther : url.error().error_class;
}

TEST(BaseUrl, IsTakenApart) {
  const BaseUrl plain = Parsed("HTTP://127.0.0.1:8746/");
  EXPECT_EQ(plain.scheme, Scheme::kHttp);
  EXPECT_EQ(plain.host, "127.0.0.1");
  EXPECT_EQ(plain.port, 8746);
  EXPECT_EQ(plain.path, "");
  EXPECT_EQ(plain.Text(), "http://127.0.0.1:8746");

  const BaseUrl path = Parsed("https://Example.COM/sand/box//");
  EXPECT_EQ(path.scheme, Scheme::kHttps);
  EXPECT_EQ(path.host, "example.com");
  EXPECT_EQ(path.port, 443);
  EXPECT_EQ(path.path, "/sand/box");

  const BaseUrl v6 = Parsed("http://[::1]:80");
  EXPECT_EQ(v6.host, "::1");
  EXPECT_EQ(v6.authority, "[::1]:80");
}

TEST(BaseUrl, C1_PlainHttpToAnotherMachineNeedsTheOption) {
  for (const char* text : {"http://10.0.0.1:8746", "http://example.com", "http://[2001:db8::1]", "http://128.0.0.1",
                           "http://localhost.example.com", "http://127.0.0.1.example.com"}) {
    EXPECT_EQ(Refusal(text), ErrorClass::kInsecureHttp) << text;
    EXPECT_TRUE(ParseBaseUrl(text, PlainHttp::kAnywhere)) << text;
  }
  for (const char* text :
       {"http://localhost", "http://LOCALHOST:1", "http://127.9.9.9", "http://[::1]", "https://10.0.0.1:8746"}) {
    EXPECT_TRUE(ParseBaseUrl(text, PlainHttp::kLoopbackOnly)) << text;
  }
}

TEST(BaseUrl, C2_RefusesWhatIsNoBaseUrl) {
  for (const char* text : {"",
                           " http://localhost",
                           "http://localhost ",
                           "localhost",
                           "localhost:8746",
                           "http://",
                           "http:///path",
                           "//localhost",
                           "ftp://localhost",
                           "file:///etc",
                           "http://user@localhost",
                           "http://user:word@localhost",
                           "http://localhost?a=b",
                           "http://localhost/?",
                           "http://localhost#x",
                           "http://localhost/a b",
                           "http://localhost/\n",
                           "http://localhost\t",
                           "http://b\xc3\xbc"
                           "cher.example",
                           "http://localhost/\xc3\xbc",
                           "http://a..b",
                           "http://.a",
                           "http://[::1",
                           "http://[::x]",
                           "http://[::1]x",
                           "http://localhost:0",
                           "http://localhost:65536",
                           "http://localhost:80a",
                           "http://localhost:-1",
                           "http://a,b",
                           "http://%6c"}) {
    EXPECT_EQ(Refusal(text), ErrorClass::kInvalidBaseUrl) << text;
  }
  EXPECT_EQ(Refusal("http://" + std::string(64, 'a')), ErrorClass::kInvalidBaseUrl);
  EXPECT_EQ(Refusal("https://" + std::string(63, 'a')), ErrorClass::kOther);
}

TEST(BaseUrl, MessagesNeverRepeatTheUrl) {
  const auto url = ParseBaseUrl("http://user:hunter2@localhost", PlainHttp::kLoopbackOnly);
  EXPECT_EQ(url.error().message.find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::client
