// `plimsoll-guest-probe [as-agent] NAME [ARGUMENT...]`: the probes without the agent around them. With `as-agent` the
// first process makes itself non-dumpable as the agent does and the probe runs as its child, under the same uid.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>
#include <vector>

#include "guest/agent/probe.h"

namespace {

int AsAgent(char** words) {
  ::prctl(PR_SET_DUMPABLE, 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execv("/proc/self/exe", words);
    ::execv(words[0], words);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::fprintf(stderr, "exit %d signal %d\n", WEXITSTATUS(status), WTERMSIG(status));
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string_view> arguments(words + 1, words + count);
  if (!arguments.empty() && arguments.front() == "as-agent") {
    words[1] = words[0];
    return AsAgent(words + 1);
  }
  return plimsoll::guest::Probe(arguments);
}
