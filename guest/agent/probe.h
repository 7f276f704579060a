#pragma once

#include <span>
#include <string_view>

namespace plimsoll::guest {

// `plimsoll-guest probe NAME [ARGUMENT...] [, NAME [ARGUMENT...]]...`: attempts from inside a sandbox, one after the
// other, as a guest process of the smoke test. They begin when stdin ends. Each prints lines of JSON with bare facts on
// stdout (docs/reference/probes.md); the host judges. 0; 64 at the first part of the command line that is none, after
// the attempts before it.
int Probe(std::span<const std::string_view> arguments);

}  // namespace plimsoll::guest
