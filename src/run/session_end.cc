#include "run/session_end.h"

namespace plimsoll::run {

std::string_view Name(SessionEnd end) {
  switch (end) {
    case SessionEnd::kClosed: return "closed";
    case SessionEnd::kExpired: return "expired";
    case SessionEnd::kDiskExceeded: return "disk_exceeded";
    case SessionEnd::kMainProcessEnded: return "main_process_ended";
    case SessionEnd::kBoundaryFailed: return "boundary_failed";
    case SessionEnd::kSandboxChanged: return "sandbox_changed";
    case SessionEnd::kShutdown: return "shutdown";
    case SessionEnd::kReplaced: return "replaced";
    case SessionEnd::kNotFound: return "not_found";
    case SessionEnd::kUnclaimed: return "unclaimed";
  }
  return "";  // unreachable: the switch is complete and -Wswitch keeps it so
}

}  // namespace plimsoll::run
