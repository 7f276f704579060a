#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace plimsoll::docker {

// A refusal kNotProven of the form `<subject>: <what is wrong; what to do>`.
base::Refusal NotProven(std::string_view subject, std::string_view what);

// `text` for a message: at most 80 bytes of printable ASCII, everything else as `?`. Image authors choose what stands
// in volumes and environments.
std::string Shown(std::string_view text);

}  // namespace plimsoll::docker
