#include "clients/cpp/json_message.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "clients/cpp/json_text.h"

namespace plimsoll::client {
namespace {

// What a field of `text` reads as, or nothing when it cannot be read.
template <typename Read>
auto Field(std::string_view text, Read read) -> std::optional<decltype(read(std::declval<const JsonMessage&>()))> {
  const auto json = ParseStrictJson(text);
  if (!json) {
    return std::nullopt;
  }
  Problems problems;
  auto value = read(JsonMessage(*json, "test", problems));
  return problems.any() ? std::nullopt : std::optional(std::move(value));
}

std::optional<std::int32_t> Int32(std::string_view text) {
  return Field(text, [](const JsonMessage& m) { return m.Int32("exitCode"); });
}
std::optional<std::int64_t> Int64(std::string_view text) {
  return Field(text, [](const JsonMessage& m) { return m.Int64("startedUnixMs"); });
}
std::optional<std::uint64_t> Uint64(std::string_view text) {
  return Field(text, [](const JsonMessage& m) { return m.Uint64("sequence"); });
}
std::optional<std::string> Bytes(std::string_view text) {
  return Field(text, [](const JsonMessage& m) { return m.Bytes("stdout"); });
}
std::optional<double> Number(std::string_view text) {
  return Field(text, [](const JsonMessage& m) { return m.Number("cpus"); });
}

TEST(ParseStrictJson, RefusesWhatTheProtocolDoesNotAllow) {
  for (const char* text : {"",
                           "{",
                           "{}x",
                           "{}{}",
                           R"({"a":1,"a":1})",
                           R"({"x":{"a":1,"b":2,"a":3}})",
                           R"([{"a":1,"a":1}])",
                           R"({"a":NaN})",
                           R"({"a":Infinity})",
                           R"({"a":-Infinity})",
                           R"({"a":1e999})",
                           R"("\ud800")",
                           R"("\udc00\ud800")",
                           "\"\xff\"",
                           "\"\xed\xa0\x80\"",
                           "{'a':1}",
                           "{\"a\":01}",
                           "{\"a\":+1}",
                           "// x\n{}",
                           "[1,]",
                           "\"a\nb\""}) {
    EXPECT_FALSE(ParseStrictJson(text)) << text;
  }
  EXPECT_FALSE(ParseStrictJson(std::string(kMaxJsonDepth + 1, '[') + std::string(kMaxJsonDepth + 1, ']')));
}

TEST(ParseStrictJson, ReadsWhatItAllows) {
  EXPECT_TRUE(ParseStrictJson(std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']')));
  EXPECT_TRUE(ParseStrictJson(R"( {"a":{"x":1},"b":{"x":1}} )"));
  EXPECT_EQ(ParseStrictJson(R"("\ud83d\udea2")")->get<std::string>(), "\xf0\x9f\x9a\xa2");
  EXPECT_TRUE(std::signbit(ParseStrictJson("-0")->get<double>()));
  EXPECT_FALSE(std::signbit(ParseStrictJson("0")->get<double>()));
}

TEST(JsonMessage, ReadsIntegersAsNumbersOrText) {
  EXPECT_EQ(Int32(R"({"exitCode":-7})"), -7);
  EXPECT_EQ(Int32(R"({"exitCode":"-7"})"), -7);
  EXPECT_EQ(Int32(R"({"exitCode":7.0})"), 7);
  EXPECT_EQ(Int32(R"({"exitCode":-0})"), 0);
  EXPECT_EQ(Int64(R"({"startedUnixMs":"9223372036854775807"})"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Uint64(R"({"sequence":18446744073709551615})"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(Uint64(R"({"sequence":"18446744073709551615"})"), std::numeric_limits<std::uint64_t>::max());
}

TEST(JsonMessage, RefusesIntegersOutOfRangeOrOfAnotherType) {
  for (const char* text :
       {R"({"exitCode":2147483648})", R"({"exitCode":"2147483648"})", R"({"exitCode":0.5})", R"({"exitCode":"0.5"})",
        R"({"exitCode":""})", R"({"exitCode":" 1"})", R"({"exitCode":"+1"})", R"({"exitCode":true})",
        R"({"exitCode":[]})", R"({"exitCode":1e30})"}) {
    EXPECT_FALSE(Int32(text)) << text;
  }
  EXPECT_FALSE(Uint64(R"({"sequence":-1})"));
  EXPECT_FALSE(Uint64(R"({"sequence":"18446744073709551616"})"));
  EXPECT_FALSE(Uint64(R"({"sequence":-2.0})"));
}

TEST(JsonMessage, ReadsBothNamesOfAFieldButNotAtOnce) {
  EXPECT_EQ(Int32(R"({"exit_code":3})"), 3);
  EXPECT_FALSE(Int32(R"({"exit_code":3,"exitCode":3})"));
  EXPECT_EQ(Int32(R"({"exitCode":null})"), 0);
  EXPECT_EQ(Int32(R"({"ExitCode":3,"unknown":{}})"), 0);
}

TEST(JsonMessage, ReadsBase64InEveryForm) {
  const std::string bytes("\xff\x00\xfe\xfb", 4);
  for (const char* text :
       {R"({"stdout":"/wD++w=="})", R"({"stdout":"/wD++w"})", R"({"stdout":"_wD--w=="})", R"({"stdout":"_wD--w"})"}) {
    EXPECT_EQ(Bytes(text), bytes) << text;
  }
  EXPECT_EQ(Bytes("{}"), "");
  EXPECT_FALSE(Bytes(R"({"stdout":"/"})"));
  EXPECT_FALSE(Bytes(R"({"stdout":"/w D+"})"));
  EXPECT_FALSE(Bytes(R"({"stdout":7})"));
}

TEST(JsonMessage, C30_ReadsTheNumbersThatJsonCannotWrite) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(*Number(R"({"cpus":"NaN"})")), 0x7ff8000000000000);
  EXPECT_EQ(*Number(R"({"cpus":"-Infinity"})"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(*Number(R"({"cpus":"Infinity"})"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(std::bit_cast<std::uint64_t>(*Number(R"({"cpus":-0})")), 0x8000000000000000);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(*Number(R"({"cpus":-0.0})")), 0x8000000000000000);
  EXPECT_EQ(*Number(R"({"cpus":"0.25"})"), 0.25);
  for (const char* text : {R"({"cpus":"nan"})", R"({"cpus":"inf"})", R"({"cpus":"1e999"})", R"({"cpus":""})",
                           R"({"cpus":"0x1"})", R"({"cpus":"1 "})", R"({"cpus":false})"}) {
    EXPECT_FALSE(Number(text)) << text;
  }
}

TEST(JsonMessage, RefusesAnythingButAnObject) {
  for (const char* text : {"[]", "1", "\"x\"", "null", "true"}) {
    EXPECT_FALSE(Int32(text)) << text;
  }
}

TEST(JsonMessage, RefusesAnElementOfAnotherTypeInAList) {
  const auto texts = [](std::string_view text) {
    return Field(text, [](const JsonMessage& m) { return m.Texts("languages"); });
  };
  EXPECT_EQ(texts(R"({"languages":["a","b"]})"), (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(texts(R"({"languages":["a",null]})"));
  EXPECT_FALSE(texts(R"({"languages":{}})"));
}

}  // namespace
}  // namespace plimsoll::client
