#pragma once

#include <string_view>

#include "clients/cpp/messages.h"

namespace plimsoll::client {

// The report with its texts put beside their probes, after every check: its digest is its own, and `asked` when that is
// not empty; probes are sorted, each once, with a known outcome; each has its text, which hashes to the digest in it.
// kEvidenceMismatch for the first that fails.
Result<Probes> CheckProbes(ProbeReportAnswer answer, std::string_view asked);

}  // namespace plimsoll::client
