#pragma once

#include <string>

#include "daemon/doctor.h"
#include "daemon/plan.h"
#include "daemon/settings_words.h"

namespace plimsoll::daemon {

// What `plimsolld check` found: every setting with its value in force, type and origin, all start errors, all warnings
// and every hardened rule. Secrets show as `set` or `unset`. `examination` is what `doctor` tried beyond that, or null.
std::string CheckText(const Plan& plan, const Environment& environment, const Examination* examination);
std::string CheckJson(const Plan& plan, const Environment& environment, const Examination* examination);

// 1: would not start. 3: would start, but not in hardened mode. 0: neither.
int CheckExitCode(const Plan& plan);

}  // namespace plimsoll::daemon
