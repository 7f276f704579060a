#pragma once

#include <span>
#include <string_view>

namespace plimsoll::guest {

// `plimsoll-guest probe NAME [ARGUMENT...]`: one attempt from inside a sandbox, as a guest process of the smoke test.
// It prints one JSON object of bare facts on stdout and exits 0; the host judges. 64 for a wrong command line.
int Probe(std::span<const std::string_view> arguments);

}  // namespace plimsoll::guest
