#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/plimsoll/outcome.h"
#include "tools/plimsoll/terminal.h"

namespace plimsoll::tool {

// Exit codes of the tool itself. A guest may end with the same numbers: `--json` tells them apart.
inline constexpr int kExitDeadline = 124;
inline constexpr int kExitNothingRan = 125;
inline constexpr int kExitMayHaveRun = 126;

// The guest's exit code, 124 at its deadline, or one of the above. A guest's code beyond 0 to 255 is 1. Of a project:
// the code of its last step, which is the one that failed if any did; 125 for `setup_failed`, where no step began; 126
// for `protocol_error` and `runner_failed`.
int ExitCodeOf(const Outcome& outcome);

// What stands above and below a step's output, one line each without a newline: `plimsoll: step 1: make test`,
// `plimsoll: step 1: exit 0, 5 ms`.
std::string StepHeadOf(const Step& step, std::size_t number, Colour colour);
std::string StepTailOf(const Step& step, std::size_t number, Colour colour);

// One line an artifact, and one for each that was asked for and is not there.
std::vector<std::string> ArtifactLinesOf(const ProjectRan& project, const std::vector<std::string>& asked);

// What was not sent, one line each and at most a handful.
std::vector<std::string> SkippedLinesOf(const std::vector<std::string>& skipped);

// One line for a person, without a newline: `plimsoll: wasm, process, exit 0, 2 ms, record 3f2a6c01d7e4…`.
std::string SummaryOf(const Outcome& outcome, Colour colour);

// One JSON object for a program, as docs/reference/cli.md describes it, in ASCII and without a newline.
std::string JsonOf(const Outcome& outcome);

}  // namespace plimsoll::tool
