#pragma once

namespace plimsoll::guest {

// How the agent ends by itself. The host learns it from the engine as the container's exit code.
enum class ExitStatus : int {
  kHostGone = 0,     // its input ended or its output broke: the ordinary end
  kUsage = 64,       // a command line that is neither empty nor a probe
  kBadFrame = 70,    // a frame that is not authentic, out of order, out of place or over a bound
  kNotSettled = 71,  // a protection of its own could not be applied: no guest may be started beside it
  kNoKey = 72,       // its input ended before the key was whole
};

}  // namespace plimsoll::guest
