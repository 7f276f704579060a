#pragma once

#include <string>

#include "rpc/status.h"

namespace plimsoll::rpc {

// The body of a Connect error: `code`, `message` and, where there are any, `details`.
std::string ConnectErrorBody(const Failure& failure);

}  // namespace plimsoll::rpc
