#include "rpc/answer.h"

#include <google/protobuf/message.h>

#include <utility>

#include "base/hex.h"
#include "rpc/connect.h"
#include "rpc/encode_json.h"
#include "rpc/grpc.h"
#include "rpc/gzip.h"
#include "rpc/head.h"

namespace plimsoll::rpc {
namespace {

// Shorter answers do not become smaller by enough to pay for the work.
constexpr std::size_t kWorthPacking = 256;

std::optional<std::string_view> RequestIdIn(const http::RequestHead& head) {
  const auto id = head.headers.Only("plimsoll-request-id");
  return id && base::IsLowerHex(*id, 32) ? id : std::nullopt;
}

http::Response Start(const Reply& reply, int status, std::string_view content_type) {
  http::Response response;
  response.status = status;
  response.headers.Add("content-type", content_type);
  if (!reply.request_id.empty()) {
    response.headers.Add("plimsoll-request-id", reply.request_id);
  }
  return response;
}

void AddFailureHeaders(http::Response& response, const Failure& failure) {
  for (const http::Header& field : failure.headers) {
    response.headers.Add(field.name, field.value);
  }
  if (failure.retry_after) {
    response.headers.Add("retry-after", std::to_string(failure.retry_after->count()));
  }
}

std::string_view EncodingHeader(Protocol protocol) {
  return protocol == Protocol::kConnect ? "content-encoding" : "grpc-encoding";
}

void Finish(http::Response& response, Protocol protocol, http::Headers trailers) {
  if (protocol == Protocol::kGrpcWeb) {
    response.body.append(WriteTrailerFrame(trailers));
  } else {
    response.trailers = std::move(trailers);
  }
}

// The output bounds of every kind stay well below this; an answer that passes it is a mistake of ours.
Failure TooLong() {
  Failure failure;
  failure.code = Code::kInternal;
  failure.message = "the answer is longer than a client reads; the code ran";
  return failure;
}

}  // namespace

// RPC-1: a request ID is echoed when it is there once and well formed, and is never a reason to refuse.
Reply ReplyFor(const http::RequestHead& head) {
  Reply reply;
  reply.format = FormatOf(head).value_or(Format{});
  const bool connect = reply.format.protocol == Protocol::kConnect;
  const auto accepted = head.headers.First(connect ? "accept-encoding" : "grpc-accept-encoding");
  if (accepted && OffersGzip(*accepted)) {
    reply.compression = Compression::kGzip;
  }
  reply.request_id = RequestIdIn(head).value_or("");
  return reply;
}

void CompleteServerAnswer(const http::RequestHead* head, http::Response& response) {
  if (const auto id = head != nullptr ? RequestIdIn(*head) : std::nullopt) {
    response.headers.Add("plimsoll-request-id", *id);
  }
  if (response.status >= 300) {
    response.headers.Add("plimsoll-not-dispatched", base::Name(base::Reason::kRequest));
  }
}

http::Response PlainAnswer(const Reply& reply, int status, std::string body) {
  http::Response response = Start(reply, status, "text/plain; charset=utf-8");
  response.body = std::move(body);
  if (status >= 300) {
    response.headers.Add("plimsoll-not-dispatched", base::Name(base::Reason::kRequest));
  }
  return response;
}

http::Response Succeed(const Reply& reply, const google::protobuf::Message& message) {
  std::string encoded = reply.format.codec == Codec::kProto ? message.SerializeAsString() : EncodeJson(message);
  if (encoded.size() >= kMaxAnswerBytes) {
    return Fail(reply, TooLong());
  }
  http::Response response = Start(reply, 200, reply.format.content_type);
  const bool pack = reply.compression == Compression::kGzip && encoded.size() >= kWorthPacking;
  if (pack) {
    encoded = GzipDeflate(encoded);
    response.headers.Add(EncodingHeader(reply.format.protocol), "gzip");
  }
  if (reply.format.protocol == Protocol::kConnect) {
    response.body = std::move(encoded);
    return response;
  }
  response.body = WriteFrame(pack ? Packed::kYes : Packed::kNo, encoded);
  Finish(response, reply.format.protocol, SuccessTrailers());
  return response;
}

http::Response Fail(const Reply& reply, const Failure& failure) {
  if (reply.format.protocol == Protocol::kConnect) {
    return FailAsHttp(reply, failure);
  }
  http::Response response = Start(reply, 200, reply.format.content_type);
  AddFailureHeaders(response, failure);
  Finish(response, reply.format.protocol, FailureTrailers(failure));
  return response;
}

http::Response FailAsHttp(const Reply& reply, const Failure& failure) {
  http::Response response = Start(reply, failure.Status(), "application/json");
  AddFailureHeaders(response, failure);
  if (const auto mark = failure.HeaderMark()) {
    response.headers.Add("plimsoll-not-dispatched", *mark);
  }
  response.body = ConnectErrorBody(failure);
  return response;
}

}  // namespace plimsoll::rpc
