#pragma once

#include <optional>

#include "clients/cpp/messages.h"
#include "plimsoll/client_results.h"

namespace plimsoll::client {

// Whether the record of an answer is shown with its result: only one that was checked is.
enum class ShowRecord { kChecked, kNot };

// The answer's result in the terms of the public headers; nothing when it has none. Takes the bytes out of `answer`.
std::optional<AnyResult> TakeResult(RunAnswer&& answer, ShowRecord show);

}  // namespace plimsoll::client
