// plimsoll-wasm-worker PAGES: runs hostile JavaScript for the daemon, over the socket it is given as descriptor 0.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "os/system_clock.h"
#include "providers/wasm/engine/saved_image.h"
#include "providers/wasm/worker/worker.h"

int main(int argc, char** argv) {
  namespace wasm = plimsoll::wasm;
  std::uint32_t pages = 0;
  const std::string_view text = argc == 2 ? argv[1] : "";
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pages);
  if (error != std::errc() || end != text.data() + text.size() || pages < wasm::kMinPages ||
      pages > wasm::kFourGiBPages) {
    return static_cast<int>(wasm::ExitStatus::kUsage);
  }
  const plimsoll::os::SystemClock clock;
  return static_cast<int>(
      wasm::RunWorker({.image = wasm::SavedImage(), .max_pages = std::min(pages, wasm::kMaxPages), .clock = clock}));
}
