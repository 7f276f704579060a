#pragma once

#include <string>

#include "tools/plimsoll/outcome.h"
#include "tools/plimsoll/terminal.h"

namespace plimsoll::tool {

// Exit codes of the tool itself. A guest may end with the same numbers: `--json` tells them apart.
inline constexpr int kExitDeadline = 124;
inline constexpr int kExitNothingRan = 125;
inline constexpr int kExitMayHaveRun = 126;

// The guest's exit code, 124 at its deadline, or one of the above. A guest's code beyond 0 to 255 is 1.
int ExitCodeOf(const Outcome& outcome);

// One line for a person, without a newline: `plimsoll: wasm, process, exit 0, 2 ms, record 3f2a6c01d7e4…`.
std::string SummaryOf(const Outcome& outcome, Colour colour);

// One JSON object for a program, as docs/reference/cli.md describes it, in ASCII and without a newline.
std::string JsonOf(const Outcome& outcome);

}  // namespace plimsoll::tool
