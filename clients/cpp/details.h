#pragma once

#include <optional>
#include <string_view>

#include "plimsoll/client_error.h"

namespace plimsoll::client {

// Reads `plimsoll.v1.NotDispatched` from protobuf binary: field 1 is the reason. A number this client has no word for,
// and none at all, read kUnknown, which is a mark all the same. Nothing when the bytes are not that message: such a
// detail says nothing.
std::optional<NotDispatched> DecodeNotDispatched(std::string_view bytes);

}  // namespace plimsoll::client
