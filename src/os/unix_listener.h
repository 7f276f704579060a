#pragma once

#include <string>

#include "base/result.h"
#include "os/unique_fd.h"

namespace plimsoll::os {

// A Unix stream socket that listens under `name` in an open directory, so that the length of the directory's path does
// not count. Non-blocking; `mode` are the permissions of its file. At most 32 connections wait to be accepted.
// Fault when the name is taken or the machine is out of descriptors.
base::Result<UniqueFd> ListenIn(int directory, const std::string& name, unsigned mode);

// Whether anybody listens on the socket `name` of an open directory; a link there is not followed.
enum class Listening {
  kYes,      // it accepts, or would when it had room
  kRefused,  // nobody: the one answer that proves it
  kUnknown,  // it cannot be told
};
Listening ProbeSocketIn(int directory, const std::string& name);

}  // namespace plimsoll::os
