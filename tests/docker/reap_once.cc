// One pass of the reaper with a clock of the caller's choosing, as a daemon would make it that holds nothing. Prints
// the number of containers and of host directories that were removed. Tests only.
//
// usage: reap_once SOCKET TEMP_ROOT UNIX_SECONDS
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <variant>

#include "os/system_clock.h"
#include "providers/docker/engine/engine.h"
#include "providers/docker/leases.h"
#include "providers/docker/reaper.h"
#include "testkit/capture_log.h"

namespace plimsoll::docker {
namespace {

int Fail(std::string_view what) {
  std::fprintf(stderr, "reap_once: %.*s\n", static_cast<int>(what.size()), what.data());
  return 1;
}

int Main(int argc, char** argv) {
  std::int64_t seconds = 0;
  if (argc != 4 || std::from_chars(argv[3], argv[3] + std::string_view(argv[3]).size(), seconds).ec != std::errc()) {
    return Fail("usage: reap_once SOCKET TEMP_ROOT UNIX_SECONDS");
  }
  const base::WallTime now{std::chrono::seconds(seconds)};
  const os::SystemClock clock;
  const http::Bounds bounds{.deadline = clock.Steady() + std::chrono::minutes(1)};
  auto engine = Engine::Create(argv[1]);
  if (!engine || std::holds_alternative<EngineError>((*engine)->Negotiate(bounds))) {
    return Fail("the engine does not answer");
  }
  testkit::CaptureLog log;
  const Leases nothing_held;
  const auto containers = Reap(**engine, nothing_held, now, bounds, log);
  const auto directories = ReapHostDirectories(argv[2], now);
  if (!containers || !directories) {
    return Fail(base::TextOf(containers ? directories.error() : containers.error()));
  }
  std::printf("%zu %zu\n", *containers, *directories);
  return 0;
}

}  // namespace
}  // namespace plimsoll::docker

int main(int argc, char** argv) { return plimsoll::docker::Main(argc, argv); }
