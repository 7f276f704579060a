// Any bytes as a unary gRPC body, and as a gzip stream: one message within the body or a refusal, bounded output.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "plimsoll/v1/sandbox.pb.h"
#include "rpc/decode.h"
#include "rpc/grpc.h"
#include "rpc/gzip.h"

namespace plimsoll::rpc {
namespace {

void CheckOne(std::string_view body) {
  constexpr std::size_t kLimit = 4096;
  const auto frame = ReadUnaryFrame(body, kLimit);
  std::string_view message = body;
  if (frame) {
    message = frame->message;
    PLIMSOLL_CHECK(message.size() <= kLimit && message.size() + kFrameHeaderBytes == body.size());
    PLIMSOLL_CHECK(WriteFrame(frame->packed, message) == body);
  }
  const Inflated inflated = GzipInflate(message, kLimit);
  PLIMSOLL_CHECK(inflated.bytes.size() <= kLimit);
  v1::RunRequest request;
  const bool strictly = DecodeProto(message, Unknown::kRefused, request).has_value();
  v1::RunRequest loose;
  PLIMSOLL_CHECK(!strictly || DecodeProto(message, Unknown::kIgnored, loose).has_value());
}

}  // namespace
}  // namespace plimsoll::rpc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  plimsoll::rpc::CheckOne(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
