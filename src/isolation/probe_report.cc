#include "isolation/probe_report.h"

namespace plimsoll::isolation {

std::string_view Name(Probe::Outcome outcome) {
  switch (outcome) {
    case Probe::Outcome::kPass: return "pass";
    case Probe::Outcome::kFail: return "fail";
    case Probe::Outcome::kSkip: return "skip";
  }
  return "unknown";  // unreachable: the switch is complete and -Wswitch keeps it so
}

}  // namespace plimsoll::isolation
