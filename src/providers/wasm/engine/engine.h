#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "providers/wasm/engine/host_unsafe.h"
#include "providers/wasm/engine/image_unsafe.h"
#include "providers/wasm/engine/js.h"
#include "providers/wasm/engine/limits.h"
#include "providers/wasm/engine/machine_unsafe.h"
#include "providers/wasm/engine/trap_unsafe.h"

namespace plimsoll::wasm {

// QuickJS with the prelude, ready to run one snippet after another. Belongs to the thread that made it, the only one of
// the process that may run guest code; one at a time in a process.
class Engine {
 public:
  struct Options {
    std::span<const std::uint8_t> image;  // bytes of BuildImage; live as long as the engine
    std::uint32_t max_pages = kDefaultPages;
    const base::Clock& clock;
    // Takes the guest's bytes as they are made. Called below guest code: it returns, and allocates nothing.
    Host::Write write;
    // Waits until the time given, which is never past the deadline. Called below guest code.
    Host::WaitUntil wait_until;
  };

  // Fault kInternal when the image is of another program, or memory cannot be had.
  static base::Result<std::unique_ptr<Engine>> Open(Options options);

  struct Ended {
    Stop stop = Stop::kNone;     // kNone and kExit: the guest came to its own end
    std::int32_t exit_code = 0;  // of providers-local.md 3.4
    bool reusable = false;       // false after growth, a trap or the deadline: Restore would not be sound
  };
  // Runs `run.code` as one classic script, then jobs and timers until none is left. Precondition: just opened, or
  // restored since the last run.
  Ended Run(const RunInput& run);

  // Brings every byte of state back to what it was before the first run. Precondition: the last run was reusable.
  void Restore();

  // Whether the last run has written to the stream.
  bool wrote(Stream stream) const { return host_.wrote(stream); }

  // For endings that no program is known to cause: runs `body` in the place of a script.
  Ended RunForTest(const RunInput& run, void (*body)(Machine&));

 private:
  explicit Engine(Options options);
  base::Status Start(std::span<const std::uint8_t> saved);
  Ended Enter(const RunInput& run, void (*body)(void*), void* context);
  void RunBody();
  bool RunLoop();
  enum class Timers { kFired, kNoneLeft, kThrew };
  Timers RunTimers();
  void ReportUncaught(Address value);
  Z_quickjs_instance_t* api() { return machine_.instance(); }

  const std::uint32_t max_pages_;
  Machine machine_;
  Host host_;
  Js js_;
  Image image_;
  Roots roots_{};
  std::string_view code_;
  std::int32_t exit_code_ = 0;
};

}  // namespace plimsoll::wasm
