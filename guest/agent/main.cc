// plimsoll-guest: the first process of a container. It speaks to the host in frames::agent over its standard input and
// output, and starts and ends the guests.
//
//   plimsoll-guest                    the agent
//   plimsoll-guest probe NAME ...     one attempt from inside, for the smoke test
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "guest/agent/agent.h"
#include "guest/agent/identity.h"
#include "guest/agent/probe.h"
#include "guest/agent/settle.h"
#include "os/system_clock.h"

namespace plimsoll::guest {
namespace {

// Waits for the whole key: nothing else can be done without it.
std::optional<frames::agent::Key> ReadKey(const os::UniqueFd& from_host) {
  std::array<std::byte, frames::agent::Key::kSize> bytes;
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t count = ::read(from_host.get(), bytes.data() + have, bytes.size() - have);
    if (count > 0) {
      have += static_cast<std::size_t>(count);
      continue;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      return std::nullopt;
    }
    Polls polls;
    polls.Add(from_host.get(), POLLIN);
    polls.Wait(std::nullopt, {});
  }
  std::optional<frames::agent::Key> key(std::in_place, bytes);
  ::explicit_bzero(bytes.data(), bytes.size());
  return key;
}

ExitStatus RunAgent() {
  auto ends = Settle();
  if (!ends) {
    return ExitStatus::kNotSettled;
  }
  const auto identity = Identity();
  if (!identity) {
    return ExitStatus::kNotSettled;
  }
  const auto key = ReadKey(ends->from_host);
  if (!key) {
    return ExitStatus::kNoKey;
  }
  const os::SystemClock clock;
  return Agent(std::move(ends).value(), *key, clock).Run(*identity);
}

}  // namespace
}  // namespace plimsoll::guest

int main(int argc, char** argv) {
  namespace guest = plimsoll::guest;
  if (argc <= 1) {
    return static_cast<int>(guest::RunAgent());
  }
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.front() == "probe") {
    return guest::Probe(std::span(arguments).subspan(1));
  }
  return static_cast<int>(guest::ExitStatus::kUsage);
}
