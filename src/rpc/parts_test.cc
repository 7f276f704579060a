// The small parts: content types, time-outs, gzip, codes, JSON output, the schema.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>

#include "plimsoll/v1/sandbox.pb.h"
#include "rpc/encode_json.h"
#include "rpc/gzip.h"
#include "rpc/protocol.h"
#include "rpc/status.h"

namespace plimsoll::rpc {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

TEST(ContentType, AcceptsTheListAndNothingElse) {
  EXPECT_EQ(ParseContentType("APPLICATION/JSON")->codec, Codec::kJson);
  EXPECT_EQ(ParseContentType("application/json;charset=UTF-8")->content_type, "application/json; charset=utf-8");
  EXPECT_EQ(ParseContentType("application/grpc-web+json")->protocol, Protocol::kGrpcWeb);
  for (const char* type : {"", "text/plain", "application/json; charset=latin1", "application/json; charset=utf-8; x=y",
                           "application/jsonx", "application/proto; charset=utf-8", "application/connect+json",
                           "application/connect+proto", "application/grpc-web-text", "application/grpc-web-text+proto",
                           "application/grpc+thrift", "application/"}) {
    EXPECT_FALSE(ParseContentType(type)) << type;
  }
  EXPECT_FALSE(ParseContentType("application/json;" + std::string(100'000, ' ') + "charset=utf-8"));
}

TEST(Timeout, HasTheFormOfItsProtocol) {
  EXPECT_EQ(ParseConnectTimeout("0"), milliseconds(0));
  EXPECT_EQ(ParseConnectTimeout("9999999999"), milliseconds(9'999'999'999));
  for (const char* text : {"", "abc", "-1", "1.5", " 1", "1 ", "10000000000"}) {
    EXPECT_FALSE(ParseConnectTimeout(text)) << text;
  }
  EXPECT_EQ(ParseGrpcTimeout("5m"), milliseconds(5));
  EXPECT_EQ(ParseGrpcTimeout("2H"), hours(2));
  EXPECT_EQ(ParseGrpcTimeout("7n"), nanoseconds(7));
  EXPECT_EQ(ParseGrpcTimeout("99999999H"), hours(1'000'000));
  EXPECT_GT(ParseGrpcTimeout("99999999M").value(), hours(1'000'000));
  for (const char* text : {"", "5", "m", "5x", "-5m", "123456789m", "5 m"}) {
    EXPECT_FALSE(ParseGrpcTimeout(text)) << text;
  }
}

TEST(PercentEncode, KeepsVisibleAsciiAndSpace) {
  EXPECT_EQ(PercentEncode("a b~ 100%\n\xc3\xa9"), "a b~ 100%25%0A%C3%A9");
}

TEST(Gzip, RoundTripsAndReadsSeveralMembers) {
  const std::string text(100'000, 'x');
  EXPECT_EQ(GzipInflate(GzipDeflate(text), text.size()).bytes, text);
  EXPECT_EQ(GzipInflate(GzipDeflate(""), 0).problem, std::nullopt);
  EXPECT_EQ(GzipInflate(GzipDeflate("ab") + GzipDeflate("cd"), 4).bytes, "abcd");
}

TEST(Gzip, StopsAtTheLimit) {
  EXPECT_EQ(GzipInflate(GzipDeflate(std::string(100, 'x')), 99).problem, InflateProblem::kTooLarge);
  EXPECT_EQ(GzipInflate(GzipDeflate(std::string(100'000'000, 'x')), 1'000'000).problem, InflateProblem::kTooLarge);
  EXPECT_EQ(GzipInflate(GzipDeflate("ab") + GzipDeflate("cd"), 3).problem, InflateProblem::kTooLarge);
}

TEST(Gzip, RefusesWhatIsNotGzip) {
  const std::string packed = GzipDeflate("some text that is long enough to be cut");
  std::string flipped = packed;
  flipped[flipped.size() - 6] = static_cast<char>(flipped[flipped.size() - 6] ^ 1);  // the checksum
  for (const std::string& bytes :
       {std::string(), std::string("{}"), packed.substr(0, packed.size() - 1), packed.substr(0, 10), flipped,
        packed + "x", std::string("\x78\x9c\x03\x00\x00\x00\x00\x01", 8)}) {
    EXPECT_EQ(GzipInflate(bytes, 1000).problem, InflateProblem::kMalformed);
  }
}

// The table of wire.md 6: every rule and kind, its code, its HTTP status and its mark.
TEST(Status, EveryRuleHasItsCodeStatusAndReason) {
  using base::Rule;
  const std::tuple<Rule, std::string_view, int, std::string_view> rows[] = {
      {Rule::kInvalidRequest, "invalid_argument", 400, "request"},
      {Rule::kTooLarge, "resource_exhausted", 429, "request"},
      {Rule::kUnauthenticated, "unauthenticated", 401, "permission"},
      {Rule::kPermissionDenied, "permission_denied", 403, "permission"},
      {Rule::kProtocolMissing, "invalid_argument", 400, "protocol"},
      {Rule::kProtocolNotServed, "unimplemented", 501, "protocol"},
      {Rule::kDisabled, "failed_precondition", 400, "unsupported"},
      {Rule::kUnsupported, "unimplemented", 501, "unsupported"},
      {Rule::kInsufficientIsolation, "failed_precondition", 400, "isolation"},
      {Rule::kSoftwareMismatch, "failed_precondition", 400, "environment"},
      {Rule::kNotProven, "unimplemented", 501, "environment"},
      {Rule::kUnavailable, "unavailable", 503, "environment"},
      {Rule::kAtCapacity, "resource_exhausted", 429, "capacity"},
      {Rule::kCanceled, "canceled", 499, "capacity"},
      {Rule::kDeadlinePassed, "deadline_exceeded", 504, "capacity"},
      {Rule::kSessionUnknown, "not_found", 404, "request"},
      {Rule::kEvidenceUnknown, "not_found", 404, "request"},
  };
  for (const auto& [rule, code, status, reason] : rows) {
    const Failure failure = FailureOf(base::Refusal{rule, "because"}, Stage::kProcedure);
    EXPECT_EQ(Name(failure.code), code);
    EXPECT_EQ(failure.Status(), status);
    ASSERT_TRUE(failure.reason);
    EXPECT_EQ(base::Name(*failure.reason), reason);
    EXPECT_EQ(failure.HeaderMark(), std::nullopt);
  }
}

TEST(Status, AFaultIsNeverMarked) {
  using base::FaultKind;
  for (const auto& [kind, code] : {std::pair{FaultKind::kUnavailable, Code::kInternal},
                                   {FaultKind::kOverloaded, Code::kInternal},
                                   {FaultKind::kInternal, Code::kInternal},
                                   {FaultKind::kDeadline, Code::kDeadlineExceeded},
                                   {FaultKind::kCanceled, Code::kCanceled}}) {
    const Failure failure = FailureOf(base::Fault{kind, "because"}, Stage::kProcedure);
    EXPECT_EQ(failure.code, code);
    EXPECT_FALSE(failure.reason);
    EXPECT_FALSE(failure.HeaderMark());
  }
}

TEST(Status, W58_RetryAfterIsWholeRoundedUpAndForCapacityOnly) {
  const auto told = [](base::Rule rule, milliseconds time) {
    return FailureOf(base::Refusal{rule, "", time}, Stage::kProcedure).retry_after;
  };
  EXPECT_EQ(told(base::Rule::kAtCapacity, milliseconds(0)), std::chrono::seconds(1));
  EXPECT_EQ(told(base::Rule::kAtCapacity, milliseconds(1000)), std::chrono::seconds(1));
  EXPECT_EQ(told(base::Rule::kAtCapacity, milliseconds(1001)), std::chrono::seconds(2));
  EXPECT_EQ(told(base::Rule::kUnavailable, milliseconds(1001)), std::nullopt);
}

TEST(EncodeJson, FollowsTheRulesOfTheWire) {
  v1::RunResponse response;
  response.set_sandbox("a\"\\\n\x01\xc3\xa9");
  response.set_duration_ms(std::numeric_limits<std::int64_t>::max());
  response.mutable_record()->set_sequence(std::numeric_limits<std::uint64_t>::max());
  response.mutable_javascript()->set_stdout(std::string("\xff\x00", 2));
  response.mutable_javascript()->set_exit_code(-1);
  response.mutable_javascript()->set_timed_out(true);
  response.mutable_javascript()->add_advice()->set_bytes_moved(-1);
  EXPECT_EQ(EncodeJson(response),
            R"({"sandbox":"a\"\\\n\u0001é","durationMs":"9223372036854775807","record":{"sequence":)"
            R"("18446744073709551615"},"javascript":{"stdout":"/wA=","exitCode":-1,"timedOut":true,"advice":)"
            R"([{"bytesMoved":"-1"}]}})");
  v1::ModuleResult module;
  module.set_outcome(v1::PROJECT_OUTCOME_COMPLETED);
  auto* outputs = module.add_runs()->mutable_outputs();
  for (const double value : {-0.0, 0.0, 0.1, 1e21, 5e-324, 1e308, -HUGE_VAL, HUGE_VAL, std::nan("")}) {
    outputs->Add(value);
  }
  EXPECT_EQ(EncodeJson(module), R"({"runs":[{"outputs":[-0,0,0.1,1e+21,5e-324,1e+308,"-Infinity","Infinity","NaN"]}],)"
                                R"("outcome":"PROJECT_OUTCOME_COMPLETED"})");
  EXPECT_EQ(EncodeJson(v1::DescribeRequest()), "{}");
}

// Every number of wire.md 5 once, and the ones it retires declared.
TEST(Schema, W56_NoNumberOrNameTwiceAndEveryRetiredNumberReserved) {
  const auto* file = v1::RunRequest::descriptor()->file();
  std::map<std::string, std::set<int>> reserved;
  for (int i = 0; i < file->message_type_count(); ++i) {
    const auto* message = file->message_type(i);
    std::set<int> numbers;
    std::set<std::string> names;
    for (int f = 0; f < message->field_count(); ++f) {
      EXPECT_TRUE(numbers.insert(message->field(f)->number()).second) << message->field(f)->full_name();
      EXPECT_TRUE(names.insert(message->field(f)->json_name()).second) << message->field(f)->full_name();
      EXPECT_EQ(message->field(f)->json_name(), message->field(f)->camelcase_name());
    }
    for (int r = 0; r < message->reserved_range_count(); ++r) {
      for (int n = message->reserved_range(r)->start; n < message->reserved_range(r)->end; ++n) {
        reserved[message->name()].insert(n);
      }
    }
  }
  const std::map<std::string, std::set<int>> expected = {{"DescribeResponse", {6, 7}}, {"ProjectRun", {3}},
                                                         {"RunResponse", {1000}},      {"JavaScriptResult", {5, 6, 7}},
                                                         {"ProjectResult", {2, 5}},    {"ModuleResult", {3, 4}}};
  EXPECT_EQ(reserved, expected);
  const auto* service = file->FindServiceByName("SandboxService");
  ASSERT_EQ(service->method_count(), 5);
  for (int i = 0; i < service->method_count(); ++i) {
    EXPECT_FALSE(service->method(i)->client_streaming() || service->method(i)->server_streaming());
  }
}

TEST(Schema, TheNumbersOfPayloadsAndResultsAreThePublishedOnes) {
  const auto number = [](const google::protobuf::Descriptor* message, const char* name) {
    return message->FindFieldByName(name)->number();
  };
  EXPECT_EQ(number(v1::RunRequest::descriptor(), "cell"), 13);
  EXPECT_EQ(number(v1::SessionRunRequest::descriptor(), "cell"), 12);
  EXPECT_EQ(number(v1::RunResponse::descriptor(), "instance"), 7);
  EXPECT_EQ(number(v1::RunRecord::descriptor(), "instance"), 17);
  EXPECT_EQ(number(v1::DescribeResponse::descriptor(), "protocols"), 21);
}

}  // namespace
}  // namespace plimsoll::rpc
