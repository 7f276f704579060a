#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"
#include "rpc/protocol.h"
#include "rpc/status.h"

namespace plimsoll::rpc {

// Bytes before each message: a flag byte and the length, big-endian.
inline constexpr std::size_t kFrameHeaderBytes = 5;

enum class Packed { kNo, kYes };

// The one message of a unary call's body, still packed where its flag says so.
struct Frame {
  Packed packed = Packed::kNo;
  std::string_view message;  // within the body
};

// Refuses kInvalidRequest for a body that is not exactly one message, and kTooLarge for a stated length above `limit`.
base::Result<Frame> ReadUnaryFrame(std::string_view body PLIMSOLL_LIFETIMEBOUND, std::size_t limit);

// Puts the frame header before a message.
std::string WriteFrame(Packed packed, std::string_view message);

// What ends a gRPC answer: `grpc-status`, and for a failure its text, details and mark.
http::Headers SuccessTrailers();
http::Headers FailureTrailers(const Failure& failure);

// gRPC-Web's form of trailers: a last frame of the body.
std::string WriteTrailerFrame(const http::Headers& trailers);

}  // namespace plimsoll::rpc
