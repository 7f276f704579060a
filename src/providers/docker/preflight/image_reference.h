#pragma once

#include <string_view>

#include "base/result.h"

namespace plimsoll::docker {

// What an operator may write as an image, before any engine is asked: 1 to 512 bytes of [a-zA-Z0-9._:/@-], not
// beginning with `-`, no segment that is empty, `.` or `..`. `setting` names the variable in the refusal kNotProven.
base::Status CheckImageReference(std::string_view setting, std::string_view reference);

// A reference with a name that ends in `@sha256:` and 64 hex digits names one content and no other.
base::Status CheckPinned(std::string_view setting, std::string_view reference);

}  // namespace plimsoll::docker
