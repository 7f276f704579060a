#include "guest/agent/probe.h"

#include "guest/agent/exit_status.h"

namespace plimsoll::guest {

int Probe(std::span<const std::string_view> /*arguments*/) { return static_cast<int>(ExitStatus::kUsage); }

}  // namespace plimsoll::guest
