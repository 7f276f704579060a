#include "settings/value_syntax.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace plimsoll::settings {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""ns;

TEST(Int, D5_TakesPlainDecimalWithin64Bits) {
  EXPECT_EQ(ParseInt(" 12 ").value(), 12);
  EXPECT_EQ(ParseInt("+5").value(), 5);
  EXPECT_EQ(ParseInt("-3").value(), -3);
  EXPECT_EQ(ParseInt("9223372036854775807").value(), INT64_MAX);
  for (const char* bad :
       {"abc", "1e3", "0x10", "9223372036854775808", "\xD9\xA3", "1 2", "", "+", "+-1", "--1", "1."}) {
    EXPECT_FALSE(ParseInt(bad).has_value()) << bad;
  }
}

TEST(Float, D10_TakesFiniteDecimalsOfZeroOrMore) {
  EXPECT_EQ(ParseFloat("0.5").value(), 0.5);
  EXPECT_EQ(ParseFloat("1e0").value(), 1.0);
  EXPECT_EQ(ParseFloat(" .25 ").value(), 0.25);
  for (const char* bad : {"-1", "-0", "NaN", "inf", "+inf", "0x1p1", "1e999", "", ".", "1,5", "1 2"}) {
    EXPECT_FALSE(ParseFloat(bad).has_value()) << bad;
  }
}

TEST(Bool, D6_TakesFourWordsInAnyCase) {
  EXPECT_TRUE(ParseBool("TRUE").value());
  EXPECT_TRUE(ParseBool(" 1 ").value());
  EXPECT_FALSE(ParseBool("False").value());
  EXPECT_FALSE(ParseBool("0").value());
  for (const char* bad : {"yes", "on", "off", "2", "", "truee", "t"}) {
    EXPECT_FALSE(ParseBool(bad).has_value()) << bad;
  }
}

TEST(Duration, TakesNumbersWithUnits) {
  EXPECT_EQ(ParseDuration("0").value(), 0ns);
  EXPECT_EQ(ParseDuration("90s").value(), 90s);
  EXPECT_EQ(ParseDuration("1h30m").value(), 90min);
  EXPECT_EQ(ParseDuration("1.5h").value(), 90min);
  EXPECT_EQ(ParseDuration("500ms").value(), 500ms);
  EXPECT_EQ(ParseDuration("1us1ns").value(), 1001ns);
  for (const char* bad : {"", "5", "s", ".s", "-1s", "1d", "1 s", "9999999999h", "1s1", "1S", "2562047h9999h"}) {
    EXPECT_FALSE(ParseDuration(bad).has_value()) << bad;
  }
}

TEST(Duration, ReadsBackWhatItWrites) {
  EXPECT_TRUE(rc::check([] {
    const std::chrono::nanoseconds value(*rc::gen::inRange<std::int64_t>(0, INT64_MAX));
    RC_ASSERT(ParseDuration(DurationText(value)).value() == value);
  }));
}

TEST(AddressSyntax, D13_TakesHostAndPort) {
  EXPECT_EQ(ParseAddress("127.0.0.1:8746").value(), (Address{"127.0.0.1", 8746}));
  EXPECT_EQ(ParseAddress(":0").value(), (Address{"", 0}));
  EXPECT_EQ(ParseAddress("[::1]:65535").value(), (Address{"::1", 65535}));
  EXPECT_EQ(AddressText({"::1", 7}), "[::1]:7");
  for (const char* bad : {"8443", "localhost", "a:65536", "a:-1", "a:", "a:http", "::1:80", "[::1]", "[]:80", "[a]:80",
                          "a b:80", "http://a:80", "a:1:2"}) {
    EXPECT_FALSE(ParseAddress(bad).has_value()) << bad;
  }
}

TEST(AddressSyntax, KnowsLoopback) {
  for (const char* host : {"localhost", "LOCALHOST", "127.0.0.1", "127.255.0.9", "::1"}) {
    EXPECT_TRUE(IsLoopback({host, 1})) << host;
  }
  for (const char* host : {"", "0.0.0.0", "128.0.0.1", "127.0.0", "127.0.0.1.2", "127.0.0.256", "127.evil.example",
                           "127.0.0.1a", "::", "localhost.example"}) {
    EXPECT_FALSE(IsLoopback({host, 1})) << host;
  }
}

TEST(Quoting, ShowsAtMost64Bytes) {
  EXPECT_EQ(Quoted("x"), "\"x\"");
  EXPECT_EQ(Quoted(std::string(100, 'x')), "\"" + std::string(64, 'x') + "...\"");
}

}  // namespace
}  // namespace plimsoll::settings
