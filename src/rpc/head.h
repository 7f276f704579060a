#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <variant>

#include "http/message.h"
#include "rpc/decode.h"
#include "rpc/procedures.h"
#include "rpc/protocol.h"
#include "rpc/status.h"

namespace plimsoll::rpc {

// Bytes of one request body as sent, and of one message after decompression (wire.md 3).
inline constexpr std::size_t kMaxMessageBytes = 8 * 1024 * 1024;

// How the request speaks: its one content type, where that is served over its HTTP version.
std::optional<Format> FormatOf(const http::RequestHead& head);

// What a well-formed head asks for.
struct Asked {
  Procedure procedure = Procedure::kRun;
  Format format;
  Compression compression = Compression::kIdentity;  // Connect: of the body; gRPC: of messages with the packed flag
  Unknown unknown = Unknown::kIgnored;
  std::optional<std::chrono::nanoseconds> timeout;  // of the whole exchange
};

// A refusal on the head alone. For 404, 405 and 415 it is plain HTTP on every transport.
struct HeadRefusal {
  Failure failure;
  enum class Form { kOfTransport, kHttp } form = Form::kOfTransport;
};

// Step 7 of the order of checks: procedure name, method, content type, Connect headers, timeout header.
std::variant<Asked, HeadRefusal> ReadHead(const http::RequestHead& head);

// The most bytes of body to read for a head: one message, and for gRPC its frame header.
std::uint64_t BodyLimit(const http::RequestHead& head);

// The refusal of a body that declares or reaches more.
base::Refusal BodyTooLarge(const http::RequestHead& head);

}  // namespace plimsoll::rpc
