#pragma once

#include <string>

#include "base/result.h"
#include "rpc/head.h"

namespace plimsoll::rpc {

// Step 8 of the order of checks: unpacks and decodes a body that was read to its end into `out`, which must be empty.
// Refuses kInvalidRequest for what cannot be unpacked or decoded, kTooLarge past kMaxMessageBytes.
base::Status ReadBodyInto(google::protobuf::Message& out, const Asked& asked, std::string_view body);

}  // namespace plimsoll::rpc
