#include "rpc/grpc.h"

#include <cstdint>
#include <utility>

#include "base/base64.h"
#include "google/rpc/status.pb.h"
#include "rpc/details.h"

namespace plimsoll::rpc {
namespace {

constexpr char kPackedFlag = 1;
constexpr char kTrailerFlag = static_cast<char>(0x80);

std::string WriteFrameOf(char flag, std::string_view content) {
  const auto length = static_cast<std::uint32_t>(content.size());
  std::string frame;
  frame.reserve(kFrameHeaderBytes + content.size());
  frame.push_back(flag);
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame.push_back(static_cast<char>((length >> shift) & 0xff));
  }
  return frame.append(content);
}

base::Refusal NotOneMessage() {
  return base::Refusal{base::Rule::kInvalidRequest, "the body is not exactly one gRPC message"};
}

std::string StatusDetails(const Failure& failure) {
  google::rpc::Status status;
  status.set_code(static_cast<int>(failure.code));
  status.set_message(failure.message);
  for (Detail& detail : DetailsOf(failure)) {
    auto* any = status.add_details();
    any->set_type_url("type.googleapis.com/" + detail.type);
    any->set_value(std::move(detail.value));
  }
  return status.SerializeAsString();
}

}  // namespace

base::Result<Frame> ReadUnaryFrame(std::string_view body, std::size_t limit) {
  if (body.size() < kFrameHeaderBytes) {
    return NotOneMessage();
  }
  std::uint32_t length = 0;
  for (const char c : body.substr(1, 4)) {
    length = (length << 8) | static_cast<unsigned char>(c);
  }
  if (length > limit) {
    return base::Refusal{base::Rule::kTooLarge,
                         "message: " + std::to_string(length) + " bytes, limit " + std::to_string(limit)};
  }
  const std::string_view message = body.substr(kFrameHeaderBytes);
  if (message.size() != length || (body.front() != 0 && body.front() != kPackedFlag)) {
    return NotOneMessage();
  }
  return Frame{body.front() == kPackedFlag ? Packed::kYes : Packed::kNo, message};
}

std::string WriteFrame(Packed packed, std::string_view message) {
  return WriteFrameOf(packed == Packed::kYes ? kPackedFlag : 0, message);
}

http::Headers SuccessTrailers() {
  http::Headers trailers;
  trailers.Add("grpc-status", "0");
  return trailers;
}

http::Headers FailureTrailers(const Failure& failure) {
  http::Headers trailers;
  trailers.Add("grpc-status", std::to_string(static_cast<int>(failure.code)));
  trailers.Add("grpc-message", PercentEncode(failure.message));
  if (failure.reason || failure.session_ended || failure.unanswered) {
    trailers.Add("grpc-status-details-bin", base::Base64Encode(StatusDetails(failure), base::Padding::kUnpadded));
  }
  if (const auto mark = failure.HeaderMark()) {
    trailers.Add("plimsoll-not-dispatched", *mark);
  }
  return trailers;
}

std::string WriteTrailerFrame(const http::Headers& trailers) {
  std::string block;
  for (const http::Header& field : trailers) {
    block.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  return WriteFrameOf(kTrailerFlag, block);
}

}  // namespace plimsoll::rpc
