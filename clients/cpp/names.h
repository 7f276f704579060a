#pragma once

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

// The class of a daemon's error, from its code and its mark.
ErrorClass ClassOf(Code code, std::optional<NotDispatched> reason);

}  // namespace plimsoll::client
