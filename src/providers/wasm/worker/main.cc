// plimsoll-wasm-worker SOCKET PAGES: runs hostile JavaScript for the daemon, over the socket it is given.
#include <algorithm>

#include "os/system_clock.h"
#include "providers/wasm/engine/saved_image.h"
#include "providers/wasm/worker/arguments.h"
#include "providers/wasm/worker/worker.h"

int main(int argc, char** argv) {
  namespace wasm = plimsoll::wasm;
  const auto arguments = wasm::ReadArguments(argc, argv);
  if (!arguments) {
    return static_cast<int>(wasm::ExitStatus::kUsage);
  }
  const plimsoll::os::SystemClock clock;
  return static_cast<int>(wasm::RunWorker({.socket = arguments->socket,
                                           .image = wasm::SavedImage(),
                                           .max_pages = std::min(arguments->pages, wasm::kMaxPages),
                                           .clock = clock}));
}
