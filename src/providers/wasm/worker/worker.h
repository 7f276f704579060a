#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/clock.h"
#include "providers/wasm/engine/engine.h"
#include "providers/wasm/worker/exit_status.h"

namespace plimsoll::wasm {

// A test's way to see a confined worker from inside. The shipped program has none.
class OrderHookForTest {
 public:
  virtual ~OrderHookForTest() = default;
  // Runs in the place of a script when it wants to; nothing when the order is an ordinary one.
  virtual std::optional<Engine::Ended> Take(Engine& engine, const RunInput& run) = 0;
};

struct WorkerOptions {
  int socket;  // a connected stream socket to the host, the one descriptor that is kept; borrowed
  std::span<const std::uint8_t> image;  // bytes of BuildImage; live as long as the process
  std::uint32_t max_pages = kDefaultPages;
  const base::Clock& clock;
  OrderHookForTest* hook = nullptr;
};

// The whole life of the worker: confines the process,
// starts the engine on the guest's thread, says that it is ready and runs one order after another until the host closes
// the socket. Called once, while the process has one thread.
ExitStatus RunWorker(const WorkerOptions& options);

}  // namespace plimsoll::wasm
