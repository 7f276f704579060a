#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "providers/wasm/engine/host_unsafe.h"
#include "providers/wasm/engine/image_unsafe.h"
#include "providers/wasm/engine/machine_unsafe.h"
#include "providers/wasm/engine/trap_unsafe.h"

namespace plimsoll::wasm {

// The default cap on linear memory, and the bounds of what may be asked for. The upper one is a page short of 4 GiB
// because the runtime counts bytes in 32 bits; below the lower one the engine itself has no room.
inline constexpr std::uint32_t kDefaultPages = 4096;
inline constexpr std::uint32_t kMinPages = 256;
inline constexpr std::uint32_t kMaxPages = 65535;

// The engine's own limit on what a guest may allocate under a cap of `pages`: far enough below it that a guest meets an
// exception it can catch and not the end of memory. 252,000,000 at the default cap (providers-local.md 3.2).
std::uint32_t MemoryLimit(std::uint32_t pages);

// QuickJS with the prelude, ready to run one snippet after another. Belongs to the thread that made it; one a process.
class Engine {
 public:
  struct Options {
    std::uint32_t max_pages = kDefaultPages;
    const base::Clock& clock;
    // Takes the guest's bytes as they are made; called below guest code, so it may not leave by itself, and objects
    // with destructors inside it must be gone when it returns.
    base::UniqueFunction<void(Stream, std::string_view)> write;
    // Waits until the time given, which is never past the deadline.
    base::UniqueFunction<void(base::SteadyTime)> wait_until;
  };

  // Fault kInternal when the module is not the pinned one or does not come up.
  static base::Result<std::unique_ptr<Engine>> Create(Options options);

  struct Ended {
    Stop stop = Stop::kNone;     // kNone and kExit: the guest came to its own end
    std::int32_t exit_code = 0;  // of providers-local.md 3.4
    bool reusable = false;       // false after growth, a trap or the deadline: Restore would not be sound
  };
  // Runs `run.code` as one classic script, then jobs and timers until none is left. Precondition: just created, or
  // restored since the last run.
  Ended Run(const RunInput& run);

  // Whether the last run has written to the stream.
  bool wrote(Stream stream) const { return host_.wrote(stream); }

  // Brings every byte of state back to what it was before the first run. Precondition: the last run was reusable.
  void Restore();

  std::size_t image_bytes() const { return image_.kept_bytes(); }

  // For tests of endings that no program is known to cause: runs `body(machine)` in the place of a script.
  Ended RunForTest(void (*body)(Machine&));

 private:
  explicit Engine(Options options);

  base::Status Start(std::uint32_t max_pages);
  const char* StartBody(std::uint32_t max_pages);
  bool DefineHostObject();
  bool EvaluatePrelude();
  bool TakeDrive();
  bool FindRandomState();
  void TakeImage();

  void RunBody();
  bool RunScript();
  bool RunLoop();
  enum class Timers { kFired, kNoneLeft, kThrew };
  Timers RunTimers();
  void ReportPending();
  void ReportUncaught(Address value);

  Ended Enter(void (*body)(void*), void* context);
  bool Threw(Address handle);
  Address StringIn(std::string_view text);
  Address Property(Address object, std::string_view name);
  Z_quickjs_instance_t* js() { return machine_.instance(); }

  Machine machine_;
  Host host_;
  Image image_;
  std::uint32_t image_pages_ = 0;
  std::uint32_t memory_limit_ = 0;

  // Addresses and handles made before the image was taken; each is valid in every run.
  Address file_name_ = 0;
  Address undefined_ = 0;
  Address drive_ = 0;
  Address run_timers_ = 0;
  Address format_uncaught_ = 0;
  Address random_state_ = 0;

  std::string_view code_;
  std::int32_t exit_code_ = 0;
};

}  // namespace plimsoll::wasm
