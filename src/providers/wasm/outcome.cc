#include "providers/wasm/outcome.h"

#include <utility>

namespace plimsoll::wasm {
namespace {

RunEnd WithOutput(Intake::Output output, std::chrono::microseconds duration) {
  RunEnd end;
  end.result.stdout_bytes = std::move(output.stdout_bytes);
  end.result.stderr_bytes = std::move(output.stderr_bytes);
  end.result.stdout_truncated = output.stdout_truncated;
  end.result.stderr_truncated = output.stderr_truncated;
  end.duration = duration;
  return end;
}

}  // namespace

Outcome EndedOutcome(Intake::Output output, const frames::Ended& ended, std::chrono::microseconds duration) {
  RunEnd end = WithOutput(std::move(output), duration);
  const bool trapped = ended.end == frames::End::kTrapped;
  end.result.exit_code = trapped ? run::kExitTrapped : ended.exit_code;
  end.result.ending = trapped ? run::Ending::kTrapped : run::Ending::kExited;
  return end;
}

Outcome TimedOutOutcome(Intake::Output output, std::chrono::microseconds duration) {
  RunEnd end = WithOutput(std::move(output), duration);
  end.result.exit_code = run::kExitDeadline;
  end.result.timed_out = true;
  end.result.ending = run::Ending::kDeadline;
  return end;
}

}  // namespace plimsoll::wasm
