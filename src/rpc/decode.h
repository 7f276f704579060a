#pragma once

#include <string_view>

#include "base/result.h"
#include "rpc/protocol.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace plimsoll::rpc {

// What becomes of a key or field number that the message does not know.
enum class Unknown { kIgnored, kRefused };

// Elements of lists, and unknown keys and fields, that one body may hold: above everything a valid request has (a table
// of 100000 rows), and low enough that a small body cannot unfold into hundreds of MiB.
inline constexpr int kMaxElements = 250'000;
// How deep the JSON of one body may nest; the deepest valid request needs 6.
inline constexpr int kMaxJsonDepth = 64;

// Decodes `bytes` into `out`, which must be empty, by the rules of wire.md 5. Refuses kInvalidRequest; the message
// names a key, a field number or a place, never content. After a refusal `out` holds parts and must not be used.
base::Status Decode(Codec codec, std::string_view bytes, Unknown unknown, google::protobuf::Message& out);

// The two codecs by themselves.
base::Status DecodeProto(std::string_view bytes, Unknown unknown, google::protobuf::Message& out);
base::Status DecodeJson(std::string_view text, Unknown unknown, google::protobuf::Message& out);

}  // namespace plimsoll::rpc
