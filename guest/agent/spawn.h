#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"

namespace plimsoll::guest {

// A guest process to start: in a session of its own, with default signals, and with no descriptor but its three
// streams.
struct Start {
  std::vector<std::string> argv;         // the program is looked for on the PATH of `environment`
  std::vector<std::string> environment;  // the whole of it
  std::string directory;                 // empty: the agent's own
  enum class Input { kNothing, kPipe } input = Input::kNothing;
};

// A process that was started, and the agent's ends of its streams; all are close-on-exec and do not block.
struct Started {
  pid_t pid = -1;
  os::UniqueFd input;  // closed for Input::kNothing
  os::UniqueFd output;
  os::UniqueFd errors;
};

// Returns once the program was executed. Faults are in our own words with the name of the errno (`no such program on
// PATH`, `ENOMEM`), printable, and hold nothing of a guest's.
base::Result<Started> Spawn(const Start& start);

// `environment` with HOME of the user from /etc/passwd (else `/`) and HOSTNAME added where it has none.
std::vector<std::string> WithHome(std::vector<std::string> environment);

// `ENOENT` for ENOENT; `errno 1234` for a number without a name.
std::string NameOfErrno(int error);

}  // namespace plimsoll::guest
