#include "rpc/head.h"

#include <string>
#include <utility>

#include "rpc/grpc.h"

namespace plimsoll::rpc {
namespace {

HeadRefusal AsHttp(int status, Code code, std::string message) {
  HeadRefusal refusal{Plumbing(code, std::move(message)), HeadRefusal::Form::kHttp};
  refusal.failure.http_status = status;
  return refusal;
}

HeadRefusal Invalid(std::string message) { return {Plumbing(Code::kInvalidArgument, std::move(message))}; }

HeadRefusal NoSuchProcedure() {
  HeadRefusal refusal{Plumbing(Code::kUnimplemented, "no such procedure")};
  refusal.failure.http_status = 404;
  return refusal;
}

HeadRefusal NotPost() {
  HeadRefusal refusal = AsHttp(405, Code::kInvalidArgument, "a procedure is called with POST");
  refusal.failure.headers.Add("allow", "POST");
  return refusal;
}

HeadRefusal NoSuchContentType() {
  HeadRefusal refusal = AsHttp(415, Code::kInvalidArgument, "content type not served; see Accept-Post");
  refusal.failure.headers.Add("accept-post", AcceptedContentTypes());
  return refusal;
}

HeadRefusal NoSuchCompression(Protocol protocol) {
  HeadRefusal refusal{Plumbing(Code::kUnimplemented, "compression not served; identity and gzip are")};
  refusal.failure.headers.Add(protocol == Protocol::kConnect ? "accept-encoding" : "grpc-accept-encoding",
                              "gzip, identity");
  return refusal;
}

// The value of a field that may be left out but not repeated. False when it is repeated.
bool ReadOptional(const http::Headers& headers, std::string_view name, std::optional<std::string_view>& value) {
  value = headers.Only(name);
  return value || headers.Count(name) == 0;
}

std::optional<HeadRefusal> ReadConnectHeaders(const http::Headers& headers, Asked& asked) {
  std::optional<std::string_view> value;
  if (!ReadOptional(headers, "connect-protocol-version", value) || value.value_or("1") != "1") {
    return Invalid("Connect-Protocol-Version: must be 1 or absent");
  }
  std::optional<Compression> compression;
  if (ReadOptional(headers, "content-encoding", value)) {
    compression = ParseCompression(value);
  }
  if (!compression) {
    return NoSuchCompression(Protocol::kConnect);
  }
  asked.compression = *compression;
  if (!ReadOptional(headers, "connect-timeout-ms", value)) {
    return Invalid("Connect-Timeout-Ms: stated more than once");
  }
  asked.timeout = value ? ParseConnectTimeout(*value) : std::nullopt;
  if (value && !asked.timeout) {
    return Invalid("Connect-Timeout-Ms: must be 1 to 10 digits");
  }
  return std::nullopt;
}

std::optional<HeadRefusal> ReadGrpcHeaders(const http::Headers& headers, Asked& asked) {
  std::optional<std::string_view> value;
  std::optional<Compression> compression;
  if (ReadOptional(headers, "grpc-encoding", value)) {
    compression = ParseCompression(value);
  }
  if (!compression) {
    return NoSuchCompression(Protocol::kGrpc);
  }
  asked.compression = *compression;
  if (!ReadOptional(headers, "grpc-timeout", value)) {
    return Invalid("grpc-timeout: stated more than once");
  }
  asked.timeout = value ? ParseGrpcTimeout(*value) : std::nullopt;
  if (value && !asked.timeout) {
    return Invalid("grpc-timeout: must be 1 to 8 digits and one of H, M, S, m, u, n");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Format> FormatOf(const http::RequestHead& head) {
  const auto type = head.headers.Only("content-type");
  const std::optional<Format> format = type ? ParseContentType(*type) : std::nullopt;
  // gRPC ends in trailers, which only HTTP/2 carries.
  const bool carried = format && (format->protocol != Protocol::kGrpc || head.version == http::Version::kHttp2);
  return carried ? format : std::nullopt;
}

std::variant<Asked, HeadRefusal> ReadHead(const http::RequestHead& head) {
  Asked asked;
  const std::optional<Procedure> procedure = ProcedureAt(head.target);
  if (!procedure) {
    return NoSuchProcedure();
  }
  asked.procedure = *procedure;
  if (head.method != "POST") {
    return NotPost();
  }
  const std::optional<Format> format = FormatOf(head);
  if (!format) {
    return NoSuchContentType();
  }
  asked.format = *format;
  auto refused = format->protocol == Protocol::kConnect ? ReadConnectHeaders(head.headers, asked)
                                                        : ReadGrpcHeaders(head.headers, asked);
  if (refused) {
    return *std::move(refused);
  }
  if (MessagesOf(*procedure) == Messages::kStrict || head.headers.Only("plimsoll-strict") == "1") {
    asked.unknown = Unknown::kRefused;
  }
  return asked;
}

std::uint64_t BodyLimit(const http::RequestHead& head) {
  const std::optional<Format> format = FormatOf(head);
  const bool framed = format && format->protocol != Protocol::kConnect;
  return kMaxMessageBytes + (framed ? kFrameHeaderBytes : 0);
}

base::Refusal BodyTooLarge(const http::RequestHead& head) {
  const std::string seen =
      head.declared_length ? std::to_string(*head.declared_length) + " bytes declared" : "more bytes sent";
  return {base::Rule::kTooLarge, "body: " + seen + ", limit " + std::to_string(BodyLimit(head))};
}

}  // namespace plimsoll::rpc
