#pragma once

#include <string>
#include <string_view>

#include "http/message.h"

namespace plimsoll::http {

// Whether the server itself writes this field, so that a handler's own is dropped. Covers what HTTP/2 forbids, too.
bool WrittenByServer(std::string_view lowercase_name);

// The answer to send: `response`, or an empty 500 when its status or a header may not go out (HTTP-6).
Response Checked(Response response);

enum class ConnectionAfter { kKeep, kClose };

// The status line and header block of an HTTP/1.1 answer, blank line included. Trailers are not sent over HTTP/1.1.
std::string WriteHead(const Response& response, ConnectionAfter after);

// A short plain-text answer of the server's own.
Response PlainAnswer(int status, std::string_view text);

}  // namespace plimsoll::http
