#pragma once

#include <string>

#include "plimsoll/client.h"
#include "tools/plimsoll/terminal.h"

namespace plimsoll::tool {

// What a daemon says of itself: a few lines for a person, each ending in a newline.
std::string DescriptionOf(const client::Info& info, Colour colour);

// The same as one JSON object, as docs/reference/cli.md describes it, without a newline.
std::string JsonOf(const client::Info& info);

// What was tried before it served: one line a probe, and above them what they stand for.
std::string ProbesTableOf(const client::Probes& probes, Colour colour);
std::string JsonOf(const client::Probes& probes);

}  // namespace plimsoll::tool
