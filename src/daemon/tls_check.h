#pragma once

#include <string>

#include "base/result.h"

namespace plimsoll::daemon {

// Loads the pair as the listeners will, without listening. Fault kUnavailable with the file and what is wrong with it.
base::Status CheckTlsPair(const std::string& certificate_file, const std::string& key_file);

}  // namespace plimsoll::daemon
