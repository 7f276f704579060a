// The same request over every transport, codec and compression, encoded and decoded with protobuf's own JSON and zlib's
// own calls where the service uses ours.
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/base64.h"
#include "google/rpc/status.pb.h"
#include "plimsoll/v1/sandbox.pb.h"
#include "plimsoll/x1/x1.pb.h"
#include "rpc/grpc.h"
#include "rpc/gzip.h"
#include "rpc/service.h"
#include "rpc/service_for_test.h"

namespace plimsoll::rpc {
namespace {

using google::protobuf::Message;
using test::Fixture;
using test::Head;
using test::With;
using ::testing::HasSubstr;

struct Wire {
  std::string content_type;
  bool gzip = false;

  bool connect() const { return !content_type.starts_with("application/grpc"); }
  bool web() const { return content_type.starts_with("application/grpc-web"); }
  bool json() const { return content_type.find("json") != std::string::npos; }
};

// For gtest's messages.
void PrintTo(const Wire& wire, std::ostream* out) { *out << wire.content_type << (wire.gzip ? " with gzip" : ""); }

// What an answer says, whatever carried it.
struct Heard {
  int code = 0;  // gRPC's number; 0: success
  std::string message;
  std::vector<std::string> details;  // type and value
  std::string mark;                  // header or trailer
  std::string payload;               // the encoded message of a success
};

std::string Encode(const Wire& wire, const Message& message) {
  std::string encoded;
  if (wire.json()) {
    EXPECT_TRUE(google::protobuf::util::MessageToJsonString(message, &encoded).ok());
  } else {
    encoded = message.SerializeAsString();
  }
  return encoded;
}

std::string Body(const Wire& wire, std::string encoded) {
  if (wire.gzip) {
    encoded = GzipDeflate(encoded);
  }
  return wire.connect() ? encoded : WriteFrame(wire.gzip ? Packed::kYes : Packed::kNo, encoded);
}

http::RequestHead HeadOf(const Wire& wire, std::string_view procedure) {
  auto head = Head(procedure, wire.content_type);
  if (wire.gzip) {
    head = With(head, {{wire.connect() ? "content-encoding" : "grpc-encoding", "gzip"},
                       {wire.connect() ? "accept-encoding" : "grpc-accept-encoding", "gzip"}});
  }
  return head;
}

// The trailer frame that ends a gRPC-Web body, taken off it.
http::Headers TakeTrailerFrame(std::string& body) {
  http::Headers trailers;
  std::size_t at = 0;
  while (at + kFrameHeaderBytes <= body.size() && (static_cast<unsigned char>(body[at]) & 0x80) == 0) {
    std::size_t length = 0;
    for (std::size_t i = 1; i < kFrameHeaderBytes; ++i) {
      length = length << 8 | static_cast<unsigned char>(body[at + i]);
    }
    at += kFrameHeaderBytes + length;
  }
  std::string_view block = std::string_view(body).substr(at + kFrameHeaderBytes);
  while (!block.empty()) {
    const std::string_view line = block.substr(0, block.find("\r\n"));
    const std::size_t colon = line.find(": ");
    trailers.Add(line.substr(0, colon), line.substr(colon + 2));
    block.remove_prefix(line.size() + 2);
  }
  body.resize(at);
  return trailers;
}

Heard HearGrpc(const Wire& wire, http::Response response) {
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.Only("content-type"), wire.content_type);
  EXPECT_EQ(response.headers.Count("plimsoll-not-dispatched"), 0U);
  const http::Headers trailers = wire.web() ? TakeTrailerFrame(response.body) : response.trailers;
  Heard heard;
  heard.code = std::stoi(std::string(trailers.Only("grpc-status").value_or("-1")));
  heard.message = trailers.Only("grpc-message").value_or("");
  heard.mark = trailers.Only("plimsoll-not-dispatched").value_or("");
  if (const auto details = trailers.Only("grpc-status-details-bin")) {
    google::rpc::Status status;
    EXPECT_TRUE(status.ParseFromString(base::Base64Decode(*details).value()));
    EXPECT_EQ(status.code(), heard.code);
    for (const auto& detail : status.details()) {
      const std::string prefix = "type.googleapis.com/";
      EXPECT_TRUE(detail.type_url().starts_with(prefix));
      heard.details.push_back(detail.type_url().substr(prefix.size()) + " " + detail.value());
    }
  }
  if (heard.code == 0) {
    const Frame frame = ReadUnaryFrame(response.body, kMaxAnswerBytes).value();
    EXPECT_EQ(frame.packed == Packed::kYes, wire.gzip);
    heard.payload =
        frame.packed == Packed::kYes ? GzipInflate(frame.message, kMaxAnswerBytes).bytes : std::string(frame.message);
  }
  return heard;
}

Heard HearConnect(const Wire& wire, const http::Response& response) {
  Heard heard;
  heard.mark = response.headers.Only("plimsoll-not-dispatched").value_or("");
  if (response.status == 200) {
    EXPECT_EQ(response.headers.Only("content-type"), wire.content_type);
    EXPECT_EQ(response.headers.Only("content-encoding").has_value(), wire.gzip);
    heard.payload = wire.gzip ? GzipInflate(response.body, kMaxAnswerBytes).bytes : response.body;
    return heard;
  }
  // The numbers of Connect's names, from its own specification.
  const std::pair<std::string_view, int> codes[] = {
      {"invalid_argument", 3}, {"failed_precondition", 9}, {"unimplemented", 12}, {"unauthenticated", 16}};
  for (const auto& [name, number] : codes) {
    if (response.body.starts_with("{\"code\":\"" + std::string(name) + "\"")) {
      heard.code = number;
    }
  }
  const std::string message = "\"message\":\"";
  const std::size_t start = response.body.find(message) + message.size();
  heard.message = response.body.substr(start, response.body.find('"', start) - start);
  std::string_view rest = response.body;
  for (std::size_t at = 0; (at = rest.find("{\"type\":\"")) != std::string_view::npos;) {
    rest.remove_prefix(at + 9);
    const std::string type(rest.substr(0, rest.find('"')));
    rest.remove_prefix(rest.find("\"value\":\"") + 9);
    heard.details.push_back(type + " " + base::Base64Decode(rest.substr(0, rest.find('"'))).value());
  }
  return heard;
}

Heard Ask(Fixture& fixture, const Wire& wire, std::string_view procedure, std::string body) {
  http::Response response = fixture.Ask(HeadOf(wire, procedure), std::move(body));
  EXPECT_EQ(response.headers.Only("plimsoll-request-id"), test::kRequestId);
  return wire.connect() ? HearConnect(wire, response) : HearGrpc(wire, std::move(response));
}

template <typename Answer>
Answer Decode(const Wire& wire, const std::string& payload) {
  Answer answer;
  if (wire.json()) {
    const auto status = google::protobuf::util::JsonStringToMessage(payload, &answer);
    EXPECT_TRUE(status.ok()) << status << payload;
  } else {
    EXPECT_TRUE(answer.ParseFromString(payload));
  }
  return answer;
}

class Transports : public ::testing::TestWithParam<Wire> {};

v1::RunRequest Snippet(std::string code) {
  v1::RunRequest request;
  request.set_protocol(5);
  request.mutable_javascript()->set_code(std::move(code));
  return request;
}

TEST_P(Transports, W1_GiveTheSameAnswerToTheSameSnippet) {
  Fixture reference;
  const Wire connect{"application/proto"};
  const v1::RunRequest request = Snippet("console.log('\xc3\xa9')");
  const auto expected =
      Decode<v1::RunResponse>(connect, Ask(reference, connect, "Run", Body(connect, Encode(connect, request))).payload);
  EXPECT_EQ(expected.javascript().stdout(), "42\n");
  EXPECT_EQ(expected.record().record_sha256().size(), 64U);

  Fixture fixture;
  const Heard heard = Ask(fixture, GetParam(), "Run", Body(GetParam(), Encode(GetParam(), request)));
  ASSERT_EQ(heard.code, 0) << heard.message;
  auto answer = Decode<v1::RunResponse>(GetParam(), heard.payload);
  // Times, and the digest that covers them, may differ.
  answer.mutable_record()->set_started_unix_ms(expected.record().started_unix_ms());
  answer.mutable_record()->set_ended_unix_ms(expected.record().ended_unix_ms());
  answer.mutable_record()->set_record_sha256(expected.record().record_sha256());
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(answer, expected)) << answer.DebugString();
  ASSERT_EQ(fixture.provider.ran.size(), 1U);
  EXPECT_EQ(std::get<run::JavaScript>(fixture.provider.ran[0].payload).code, "console.log('\xc3\xa9')");
}

TEST_P(Transports, GiveTheSameProbeReport) {
  constexpr std::string_view kPath = "/plimsoll.x1.Evidence/ProbeReport";
  Fixture fixture;
  fixture.provider.probes = std::make_shared<const isolation::ProbeReport>(test::SomeProbes());
  const x1::ProbeReportRequest request;
  const Wire connect{"application/proto"};
  const auto expected = Decode<x1::ProbeReportResponse>(
      connect, Ask(fixture, connect, kPath, Body(connect, Encode(connect, request))).payload);
  EXPECT_EQ(expected.report().probes_size(), 2);
  const Heard heard = Ask(fixture, GetParam(), kPath, Body(GetParam(), Encode(GetParam(), request)));
  ASSERT_EQ(heard.code, 0) << heard.message;
  const auto answer = Decode<x1::ProbeReportResponse>(GetParam(), heard.payload);
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(answer, expected)) << answer.DebugString();
  fixture.provider.probes = nullptr;
  const Heard none = Ask(fixture, GetParam(), kPath, Body(GetParam(), Encode(GetParam(), request)));
  EXPECT_EQ(none.code, 12);
  EXPECT_THAT(none.details, ::testing::ElementsAre("plimsoll.v1.NotDispatched \x08\x04"));
  EXPECT_EQ(none.mark, "");
}

TEST_P(Transports, W1_GiveTheSameRefusal) {
  Fixture fixture;
  v1::RunRequest request = Snippet("1");
  request.set_minimum_isolation("kernel");
  const Heard heard = Ask(fixture, GetParam(), "Run", Body(GetParam(), Encode(GetParam(), request)));
  EXPECT_EQ(heard.code, 9);
  EXPECT_EQ(heard.message,
            "sandbox isolation requirement not met: provider isolation process is below requested minimum kernel");
  EXPECT_THAT(heard.details, ::testing::ElementsAre("plimsoll.v1.NotDispatched \x08\x05"));
  EXPECT_EQ(heard.mark, "");
}

TEST_P(Transports, W1_GiveTheSameCredentialsRefusal) {
  Fixture fixture;
  const http::Response response = fixture.Ask(test::Without(HeadOf(GetParam(), "Run"), "authorization"), "");
  const Heard heard = GetParam().connect() ? HearConnect(GetParam(), response) : HearGrpc(GetParam(), response);
  EXPECT_EQ(heard.code, 16);
  EXPECT_THAT(heard.details, ::testing::ElementsAre("plimsoll.v1.NotDispatched \x08\x02"));
  EXPECT_EQ(heard.mark, "request");
}

TEST_P(Transports, W15_MarkAMalformedMessage) {
  Fixture fixture;
  const Heard heard = Ask(fixture, GetParam(), "Run", Body(GetParam(), "\xff\xff{"));
  EXPECT_EQ(heard.code, 3);
  EXPECT_EQ(heard.mark, "request");
  EXPECT_TRUE(heard.details.empty());
  EXPECT_TRUE(fixture.provider.ran.empty());
}

TEST_P(Transports, W38_R8_CarryOutputBytesUnchanged) {
  std::string bytes = "\xff\xfe";
  bytes.push_back('\0');
  for (int byte = 0; byte < 256; ++byte) {
    bytes.push_back(static_cast<char>(byte));
  }
  Fixture fixture;
  fixture.provider.answer = [&](const provider::Order&) -> base::Result<run::Report> {
    return test::SnippetReport(bytes);
  };
  const Heard heard = Ask(fixture, GetParam(), "Run", Body(GetParam(), Encode(GetParam(), Snippet("1"))));
  EXPECT_EQ(Decode<v1::RunResponse>(GetParam(), heard.payload).javascript().stdout(), bytes);
}

TEST_P(Transports, R7_SendEveryNanAsTheOneBitPattern) {
  Fixture fixture;
  fixture.provider.profile.module = fixture.provider.profile.javascript;
  fixture.provider.answer = [&](const provider::Order&) -> base::Result<run::Report> {
    run::Report report = test::SnippetReport("");
    run::ModuleResult result;
    result.outcome = run::Outcome::kCompleted;
    result.width = 4;
    result.runs = {
        {1, {std::bit_cast<double>(0xfff8000000000123), -0.0, std::numeric_limits<double>::infinity(), 0.1 + 0.2}}};
    report.result = std::move(result);
    return report;
  };
  v1::RunRequest request;
  request.set_protocol(4);
  request.mutable_module()->set_model("m");
  request.mutable_module()->add_rows()->add_values(-0.0);
  request.mutable_module()->set_end_time(1);
  request.mutable_module()->set_step(0.5);
  const Heard heard = Ask(fixture, GetParam(), "Run", Body(GetParam(), Encode(GetParam(), request)));
  ASSERT_EQ(heard.code, 0) << heard.message;
  const auto answer = Decode<v1::RunResponse>(GetParam(), heard.payload);
  const auto& outputs = answer.module().runs(0).outputs();
  ASSERT_EQ(outputs.size(), 4);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(outputs[0]), 0x7ff8000000000000U);
  if (GetParam().json()) {
    EXPECT_THAT(heard.payload, HasSubstr("[\"NaN\",-0,"));  // protobuf's own reader loses the sign
  } else {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(outputs[1]), 0x8000000000000000U);
  }
  EXPECT_EQ(outputs[2], std::numeric_limits<double>::infinity());
  EXPECT_EQ(outputs[3], 0.1 + 0.2);
  const auto& sent = std::get<run::Module>(fixture.provider.ran.at(0).payload);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sent.rows.at(0).at(0)), 0x8000000000000000U);
}

TEST_P(Transports, RefuseAnUnknownFieldUnderStrict) {
  Fixture fixture;
  std::string encoded = Encode(GetParam(), Snippet("1"));
  if (GetParam().json()) {
    encoded.insert(encoded.find("\"code\""), R"("kode":"2",)");
  } else {
    // Field 99 as text, inside the snippet: it is the last field, so its bytes are appended and its length grows.
    ASSERT_EQ(encoded[2], '\x52');
    encoded[3] = static_cast<char>(encoded[3] + 4);
    encoded.append("\x9a\x06\x01x");
  }
  EXPECT_EQ(Ask(fixture, GetParam(), "Run", Body(GetParam(), encoded)).code, 0);
  const http::Response response =
      fixture.Ask(With(HeadOf(GetParam(), "Run"), {{"plimsoll-strict", "1"}}), Body(GetParam(), encoded));
  const Heard heard = GetParam().connect() ? HearConnect(GetParam(), response) : HearGrpc(GetParam(), response);
  EXPECT_EQ(heard.code, 3);
  EXPECT_EQ(heard.mark, "request");
  EXPECT_EQ(heard.message, GetParam().json() ? "unknown key `kode`" : "unknown field 99 of plimsoll.v1.JavaScriptRun");
  EXPECT_EQ(fixture.provider.ran.size(), 1U);
}

std::vector<Wire> EveryWire() {
  std::vector<Wire> wires;
  for (const char* type : {"application/json", "application/json; charset=utf-8", "application/proto",
                           "application/grpc", "application/grpc+proto", "application/grpc+json",
                           "application/grpc-web", "application/grpc-web+proto", "application/grpc-web+json"}) {
    wires.push_back({type, false});
    wires.push_back({type, true});
  }
  return wires;
}

std::string NameOf(const ::testing::TestParamInfo<Wire>& wire) {
  std::string name;
  for (const char c : wire.param.content_type.substr(12)) {
    name.push_back(std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_');
  }
  return name + (wire.param.gzip ? "_packed" : "_plain");
}

INSTANTIATE_TEST_SUITE_P(All, Transports, ::testing::ValuesIn(EveryWire()), NameOf);

TEST(Grpc, NeedsHttp2) {
  Fixture fixture;
  auto head = Head("Run", "application/grpc");
  head.version = http::Version::kHttp1;
  EXPECT_EQ(fixture.Ask(head, "").status, 415);
  // A refusal before that check is answered in a form that HTTP/1.1 can carry.
  EXPECT_EQ(fixture.Ask(test::Without(head, "authorization"), "").status, 401);
  head = Head("Describe", "application/grpc-web");
  head.version = http::Version::kHttp1;
  EXPECT_EQ(fixture.Ask(head, WriteFrame(Packed::kNo, "")).status, 200);
}

TEST(Grpc, AnAnswerWithoutAMessageIsTrailersOnly) {
  Fixture fixture;
  const http::Response response = fixture.Ask(Head("Run", "application/grpc"), WriteFrame(Packed::kNo, ""));
  EXPECT_TRUE(response.body.empty());
  EXPECT_EQ(response.headers.Only("plimsoll-request-id"), test::kRequestId);
  EXPECT_EQ(response.trailers.Only("grpc-status"), "3");
  EXPECT_EQ(response.trailers.Count("plimsoll-not-dispatched"), 0U);
}

TEST(Grpc, PlumbingRefusalsKeepTheirCodes) {
  Fixture fixture;
  const auto code_of = [&](http::RequestHead head, std::string body) {
    const http::Response response = fixture.Ask(std::move(head), std::move(body));
    EXPECT_EQ(response.trailers.Only("plimsoll-not-dispatched"), "request");
    return std::string(response.trailers.Only("grpc-status").value_or(""));
  };
  const auto head = Head("Run", "application/grpc");
  EXPECT_EQ(code_of(head, ""), "3");
  EXPECT_EQ(code_of(head, std::string("\0\0\0\0\x01", 5)), "3");           // cut short
  EXPECT_EQ(code_of(head, WriteFrame(Packed::kNo, "") + "x"), "3");        // more than one message
  EXPECT_EQ(code_of(head, WriteFrame(Packed::kYes, "")), "3");             // packed, no encoding stated
  EXPECT_EQ(code_of(head, std::string("\0\x00\x80\x00\x01", 5)), "8");     // states 8 MiB and a byte
  EXPECT_EQ(code_of(head, std::string(kMaxMessageBytes + 6, '\0')), "8");  // is longer
  EXPECT_EQ(code_of(With(head, {{"grpc-encoding", "br"}}), ""), "12");
  EXPECT_EQ(code_of(With(head, {{"grpc-timeout", "1x"}}), ""), "3");
  Fixture open(callers::Gate::Open());
  const http::Response unknown = open.Ask(Head("Walk", "application/grpc"), "");
  EXPECT_EQ(unknown.trailers.Only("grpc-status"), "12");
  EXPECT_EQ(unknown.trailers.Only("plimsoll-not-dispatched"), "unsupported");
}

TEST(Compression, W17_AnAnswerIsPackedOnlyWhenAskedFor) {
  Fixture fixture;
  const auto head = Head("Describe", "application/json");
  for (const char* accepted : {"identity", "", "br", "gzip;q=0", "identity, gzip; q=0.0"}) {
    const http::Response response = fixture.Ask(With(head, {{"accept-encoding", accepted}}), "{}");
    EXPECT_EQ(response.headers.Count("content-encoding"), 0U) << accepted;
    EXPECT_EQ(response.body.front(), '{');
  }
  const http::Response packed = fixture.Ask(With(head, {{"accept-encoding", "br, GZIP;q=0.5"}}), "{}");
  EXPECT_EQ(packed.headers.Only("content-encoding"), "gzip");
  EXPECT_EQ(GzipInflate(packed.body, 1 << 20).bytes, fixture.Ask(head, "{}").body);
}

TEST(Compression, W13_ABodyThatUnpacksPastTheLimitIsRefused) {
  Fixture fixture;
  const std::string bomb = GzipDeflate(std::string(kMaxMessageBytes + 1, ' '));
  const http::Response response =
      fixture.Ask(With(Head("Run", "application/json"), {{"content-encoding", "gzip"}}), bomb);
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.headers.Only("plimsoll-not-dispatched"), "request");
  EXPECT_THAT(response.body, HasSubstr("\"resource_exhausted\""));
}

}  // namespace
}  // namespace plimsoll::rpc
