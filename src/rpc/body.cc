#include "rpc/body.h"

#include "rpc/grpc.h"
#include "rpc/gzip.h"

namespace plimsoll::rpc {
namespace {

using base::Refusal;
using base::Rule;

base::Status Unpack(google::protobuf::Message& out, const Asked& asked, std::string_view packed) {
  const Inflated inflated = GzipInflate(packed, kMaxMessageBytes);
  if (!inflated.problem) {
    return Decode(asked.format.codec, inflated.bytes, asked.unknown, out);
  }
  if (*inflated.problem == InflateProblem::kTooLarge) {
    return Refusal{Rule::kTooLarge,
                   "message: unpacks past the limit of " + std::to_string(kMaxMessageBytes) + " bytes"};
  }
  return Refusal{Rule::kInvalidRequest, "the body is not in gzip form"};
}

}  // namespace

base::Status ReadBodyInto(google::protobuf::Message& out, const Asked& asked, std::string_view body) {
  Packed packed = asked.compression == Compression::kGzip ? Packed::kYes : Packed::kNo;
  if (asked.format.protocol != Protocol::kConnect) {
    const base::Result<Frame> frame = ReadUnaryFrame(body, kMaxMessageBytes);
    if (!frame) {
      return frame.error();
    }
    if (frame->packed == Packed::kYes && packed == Packed::kNo) {
      return Refusal{Rule::kInvalidRequest, "a packed message without grpc-encoding"};
    }
    packed = frame->packed;
    body = frame->message;
  }
  // An empty Connect body is an empty message, packed or not.
  if (packed == Packed::kYes && !body.empty()) {
    return Unpack(out, asked, body);
  }
  return Decode(asked.format.codec, body, asked.unknown, out);
}

}  // namespace plimsoll::rpc
