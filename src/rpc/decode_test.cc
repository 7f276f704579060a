#include "rpc/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "plimsoll/v1/sandbox.pb.h"

namespace plimsoll::rpc {
namespace {

using ::testing::HasSubstr;

std::string ProblemOf(std::string_view json, Unknown unknown = Unknown::kIgnored) {
  v1::RunRequest request;
  const base::Status status = DecodeJson(json, unknown, request);
  const auto* refusal = base::RefusalIn(status);
  return refusal == nullptr ? "" : refusal->message;
}

v1::RunRequest Decoded(std::string_view json) {
  v1::RunRequest request;
  const base::Status status = DecodeJson(json, Unknown::kIgnored, request);
  EXPECT_TRUE(status.has_value()) << json << ": " << (status ? "" : base::TextOf(status.error()));
  return request;
}

TEST(DecodeJson, TakesBothFormsOfANameAndOfANumber) {
  for (const char* json :
       {R"({"minimumIsolation":"vm","timeoutMs":-5})", R"({"minimum_isolation":"vm","timeout_ms":"-5"})",
        R"({"minimumIsolation":"vm","timeoutMs":-5.0})", R"({"minimumIsolation":"vm","timeoutMs":"-5e0"})"}) {
    EXPECT_EQ(Decoded(json).minimum_isolation(), "vm") << json;
    EXPECT_EQ(Decoded(json).timeout_ms(), -5) << json;
  }
  EXPECT_EQ(Decoded(R"({"protocol":4294967295})").protocol(), 4294967295U);
  EXPECT_EQ(Decoded(R"({"timeoutMs":-2147483648})").timeout_ms(), INT32_MIN);
}

TEST(DecodeJson, TakesEveryFormOfADouble) {
  const auto request =
      Decoded(R"({"module":{"rows":[{"values":[1, -0, -0.0, 1e3, "NaN", "Infinity", "-Infinity", "2.5", 3]}]}})");
  const auto& values = request.module().rows(0).values();
  ASSERT_EQ(values.size(), 9);
  EXPECT_EQ(values[0], 1.0);
  EXPECT_TRUE(std::signbit(values[1])) << "the sign of -0 is in the digest";
  EXPECT_TRUE(std::signbit(values[2]));
  EXPECT_EQ(values[3], 1000.0);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(values[4]), 0x7ff8000000000000U);
  EXPECT_EQ(values[5], HUGE_VAL);
  EXPECT_EQ(values[6], -HUGE_VAL);
  EXPECT_EQ(values[7], 2.5);
}

TEST(DecodeJson, LeavesMinusZeroInTextsAlone) {
  EXPECT_EQ(Decoded(R"({"javascript":{"code":"\\\"-0, \\"},"timeoutMs":-0})").javascript().code(), "\\\"-0, \\");
  EXPECT_EQ(Decoded(R"({"traceId":"-0"})").trace_id(), "-0");
}

TEST(DecodeJson, TakesNullAsTheDefault) {
  const auto request = Decoded(R"({"protocol":null,"javascript":{"code":"1"},"project":null,"softwareRule":null})");
  EXPECT_EQ(request.javascript().code(), "1");
  EXPECT_FALSE(request.has_software_rule());
}

TEST(DecodeJson, TakesBytesAsBase64OfAnyForm) {
  for (const char* text : {"+/8=", "+/8", "-_8=", "-_8"}) {
    v1::Artifact artifact;
    ASSERT_TRUE(DecodeJson("{\"content\":\"" + std::string(text) + "\"}", Unknown::kIgnored, artifact));
    EXPECT_EQ(artifact.content(), "\xfb\xff");
  }
  v1::Artifact artifact;
  EXPECT_FALSE(DecodeJson(R"({"content":"*"})", Unknown::kIgnored, artifact));
}

TEST(DecodeJson, TakesEnumsByNameAndNumber) {
  v1::NotDispatched message;
  ASSERT_TRUE(DecodeJson(R"({"reason":"NOT_DISPATCHED_REASON_CAPACITY"})", Unknown::kIgnored, message));
  EXPECT_EQ(message.reason(), v1::NOT_DISPATCHED_REASON_CAPACITY);
  ASSERT_TRUE(DecodeJson(R"({"reason":7})", Unknown::kIgnored, message));
  EXPECT_EQ(message.reason(), v1::NOT_DISPATCHED_REASON_ENVIRONMENT);
  EXPECT_FALSE(DecodeJson(R"({"reason":"CAPACITY"})", Unknown::kIgnored, message));
}

TEST(DecodeJson, W53_RefusesWhatHasTwoReadings) {
  EXPECT_EQ(ProblemOf(R"({"protocol":5,"protocol":5})"), "repeated key `protocol`");
  EXPECT_EQ(ProblemOf(R"({"minimumIsolation":"vm","minimum_isolation":""})"), "repeated key `minimumIsolation`");
  EXPECT_EQ(ProblemOf(R"({"softwareRule":null,"softwareRule":{}})"), "repeated key `softwareRule`");
  EXPECT_EQ(ProblemOf(R"({"x":1,"x":2})"), "a repeated key");
  EXPECT_EQ(ProblemOf(R"({"x":{"y":1,"y":2}})"), "a repeated key");
  EXPECT_EQ(ProblemOf(R"({"javascript":{},"project":{}})"), "two members of plimsoll.v1.RunRequest.payload");
}

TEST(DecodeJson, RefusesWrongTypesAndNumbersOutOfRange) {
  for (const char* json : {R"({"protocol":true})",
                           R"({"protocol":-1})",
                           R"({"protocol":4294967296})",
                           R"({"protocol":1.5})",
                           R"({"protocol":"5 "})",
                           R"({"protocol":"+5"})",
                           R"({"protocol":""})",
                           R"({"protocol":{}})",
                           R"({"protocol":[5]})",
                           R"({"timeoutMs":2147483648})",
                           R"({"timeoutMs":1e300})",
                           R"({"timeoutMs":"NaN"})",
                           R"({"minimumIsolation":5})",
                           R"({"minimumIsolation":["vm"]})",
                           R"({"javascript":"1"})",
                           R"({"javascript":[]})",
                           R"({"javascript":[{"code":"1"}]})",
                           R"({"project":{"steps":"ls"}})",
                           R"({"project":{"steps":[["ls"]]}})",
                           R"({"project":{"steps":[null]}})",
                           R"({"project":{"files":{}}})",
                           R"({"project":{"files":[1]}})",
                           R"({"module":{"step":"inf"}})",
                           R"({"module":{"step":"nan"}})",
                           R"({"module":{"step":".5"}})",
                           R"({"module":{"step":"0x1"}})",
                           R"({"module":{"step":1e400}})",
                           R"({"module":{"step":true}})"}) {
    EXPECT_NE(ProblemOf(json), "") << json;
  }
}

TEST(DecodeJson, RefusesWhatIsNotOneWellFormedObject) {
  for (const std::string& json : {std::string(),
                                  std::string(" "),
                                  std::string("null"),
                                  std::string("5"),
                                  std::string("[]"),
                                  std::string("[{}]"),
                                  std::string("{"),
                                  std::string("{}{}"),
                                  std::string("{} x"),
                                  std::string("{'protocol':5}"),
                                  std::string("{\"protocol\":5,}"),
                                  std::string("{\"protocol\":05}"),
                                  std::string("{protocol:5}"),
                                  std::string("{/**/}"),
                                  std::string(R"({"traceId":"\ud800"})"),
                                  std::string(R"({"traceId":"\udc00\ud800"})"),
                                  std::string("{\"traceId\":\"\xff\"}"),
                                  std::string("{\"traceId\":\"\xed\xa0\x80\"}"),
                                  std::string("{\"traceId\":\"\xc0\x80\"}"),
                                  std::string("{\"trace\nId\":1}"),
                                  std::string("{\"\xff\":1}"),
                                  std::string("{}\0", 3)}) {
    EXPECT_NE(ProblemOf(json), "") << json;
  }
}

TEST(DecodeJson, BoundsDepthAndElements) {
  const auto nested = [](int depth) {
    return "{\"x\":" + std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']') + "}";
  };
  EXPECT_EQ(ProblemOf(nested(kMaxJsonDepth - 1)), "");
  EXPECT_THAT(ProblemOf(nested(kMaxJsonDepth)), HasSubstr("deeper than 64"));
  EXPECT_NE(ProblemOf(std::string(4'000'000, '[')), "");
  std::string rows = R"({"module":{"rows":[{})";
  for (int i = 0; i < kMaxElements; ++i) {
    rows.append(",{}");
  }
  EXPECT_THAT(ProblemOf(rows + "]}}"), HasSubstr("more than 250000 elements"));
}

TEST(DecodeJson, UnknownKeysAreIgnoredOrNamed) {
  const std::string json = R"({"protocol":5,"javascript":{"code":"1","kode":{"a":[1,{"b":null}]}}})";
  EXPECT_EQ(ProblemOf(json), "");
  EXPECT_EQ(ProblemOf(json, Unknown::kRefused), "unknown key `kode`");
  EXPECT_EQ(ProblemOf(R"({"Protocol":5})", Unknown::kRefused), "unknown key `Protocol`");
  const std::string hostile = "{\"" + std::string(100, 'k') + "\":1}";
  EXPECT_EQ(ProblemOf(hostile, Unknown::kRefused), "unknown key `" + std::string(64, 'k') + "`");
  EXPECT_EQ(ProblemOf("{\"a\\n\xc3\xa9\":1}", Unknown::kRefused), "unknown key `a???`");
}

TEST(DecodeProto, RefusesTextsThatAreNotUtf8WithoutAWordOnStderr) {
  v1::JavaScriptRun snippet;
  ::testing::internal::CaptureStderr();
  const base::Status status = DecodeProto("\x0a\x02\xc3\x28", Unknown::kIgnored, snippet);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ASSERT_NE(base::RefusalIn(status), nullptr);
  EXPECT_EQ(base::RefusalIn(status)->message, "the body is not a plimsoll.v1.JavaScriptRun in binary form");
}

TEST(DecodeProto, TheLastMemberOfAOneofCounts) {
  v1::RunRequest request;
  ASSERT_TRUE(
      DecodeProto("\x52\x03\x0a\x01"
                  "1\x5a\x04\x12\x02ls",
                  Unknown::kIgnored, request));
  EXPECT_EQ(request.payload_case(), v1::RunRequest::kProject);
}

TEST(DecodeProto, BoundsWhatABodyUnfoldsTo) {
  v1::ModuleRun within;
  for (int i = 0; i < 100'000; ++i) {
    within.add_rows()->add_values(1);
  }
  v1::RunRequest request;
  *request.mutable_module() = within;
  v1::RunRequest decoded;
  EXPECT_TRUE(DecodeProto(request.SerializeAsString(), Unknown::kIgnored, decoded));

  std::string empty_rows;
  for (int i = 0; i <= kMaxElements; ++i) {
    empty_rows.append("\x12\x00", 2);
  }
  v1::ModuleRun module;
  const base::Status rows = DecodeProto(empty_rows, Unknown::kIgnored, module);
  ASSERT_FALSE(rows);
  EXPECT_EQ(base::TextOf(rows.error()), "the body holds more than 250000 elements");
  for (const std::string& unit : {std::string("\x98\x06\x01", 3), std::string("\x9b\x06\x9c\x06", 4)}) {
    std::string unknown;
    for (int i = 0; i <= kMaxElements; ++i) {
      unknown.append(unit);  // an unknown number, an unknown group
    }
    EXPECT_FALSE(DecodeProto(unknown, Unknown::kIgnored, module));
  }
}

TEST(DecodeProto, IgnoresAnUnknownGroupAndNamesItUnderStrict) {
  const std::string group("\x9b\x06\x08\x01\x9c\x06\x0a\x01m", 9);
  v1::ModuleRun module;
  EXPECT_TRUE(DecodeProto(group, Unknown::kIgnored, module));
  EXPECT_EQ(module.model(), "m");
  v1::ModuleRun strict;
  const base::Status status = DecodeProto(group, Unknown::kRefused, strict);
  ASSERT_FALSE(status);
  EXPECT_EQ(base::TextOf(status.error()), "unknown field 99 of plimsoll.v1.ModuleRun");
}

}  // namespace
}  // namespace plimsoll::rpc
