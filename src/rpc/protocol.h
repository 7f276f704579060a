#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::rpc {

enum class Protocol { kConnect, kGrpc, kGrpcWeb };
enum class Codec { kProto, kJson };
enum class Compression { kIdentity, kGzip };

// How a request speaks, read from its content type.
struct Format {
  Protocol protocol = Protocol::kConnect;
  Codec codec = Codec::kJson;
  std::string_view content_type = "application/json";  // a constant: what the answer states
};

// Exactly the types of wire.md 3, in any case of letters; nothing for every other one.
std::optional<Format> ParseContentType(std::string_view value);

// The types ParseContentType accepts, for the header `Accept-Post`.
std::string_view AcceptedContentTypes();

// An absent or empty field is identity; nothing for a compression that is not served.
std::optional<Compression> ParseCompression(std::optional<std::string_view> value);

// Whether a list such as `gzip;q=0.5, identity` offers gzip with a weight above zero.
bool OffersGzip(std::string_view accept_encoding);

// `Connect-Timeout-Ms`: 1 to 10 digits, milliseconds.
std::optional<std::chrono::milliseconds> ParseConnectTimeout(std::string_view value);

// `grpc-timeout`: 1 to 8 digits and one of `H M S m u n`. More than 10^6 hours count as 10^6, which still fits.
std::optional<std::chrono::nanoseconds> ParseGrpcTimeout(std::string_view value);

// Every byte outside 0x20 to 0x7E, and `%`, as `%XX`: the form of `grpc-message`.
std::string PercentEncode(std::string_view text);

}  // namespace plimsoll::rpc
