#pragma once

#include <string>

#include "http/message.h"
#include "rpc/protocol.h"
#include "rpc/status.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace plimsoll::rpc {

// The longest answer a client reads (wire.md 8), as encoded and before compression.
inline constexpr std::size_t kMaxAnswerBytes = 32 * 1024 * 1024;

// How one request is to be answered: everything an answer needs to know about it.
struct Reply {
  Format format;
  Compression compression = Compression::kIdentity;  // of the answer, as the request allows
  std::string request_id;                            // what to echo; empty: nothing
};

// Reads it from a head, whatever else is wrong with the request. An unknown content type is answered as Connect JSON.
Reply ReplyFor(const http::RequestHead& head);

// An answer of our own outside every procedure, with the request ID (RPC-1): health, unknown paths.
http::Response PlainAnswer(const Reply& reply, int status, std::string body);

// Gives an answer that the server wrote by itself what every answer carries. `head` is null when none can be relied on.
void CompleteServerAnswer(const http::RequestHead* head, http::Response& response);

// A success, or a Failure of kind `internal` in its place when the answer would be longer than a client reads.
http::Response Succeed(const Reply& reply, const google::protobuf::Message& message);

// An error in the form of the request's transport, with its details, its mark and the request ID.
http::Response Fail(const Reply& reply, const Failure& failure);

// An error that is plain HTTP for every transport: a client must see the status (404, 405, 415).
http::Response FailAsHttp(const Reply& reply, const Failure& failure);

}  // namespace plimsoll::rpc
