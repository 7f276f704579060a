#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "plimsoll/client_error.h"

namespace plimsoll::client {

// The code with this name on the wire, or nothing.
std::optional<Code> CodeNamed(std::string_view name);

// The reason with this name on the header, or nothing; `unknown` is no such name.
std::optional<NotDispatched> ReasonNamed(std::string_view name);

// The code of an answer with this HTTP status that holds no code of its own.
Code CodeOfStatus(int http_status);

// The reason with this number on the wire; kUnknown for every other, 0 included.
SessionEnd SessionEndNumbered(std::uint64_t number);

// Whether an error says that its session has ended.
enum class SessionState { kNotSaid, kEnded };

// The class of a daemon's error, from its code, its mark and what it says of its session.
ErrorClass ClassOf(Code code, std::optional<NotDispatched> reason, SessionState session);

}  // namespace plimsoll::client
