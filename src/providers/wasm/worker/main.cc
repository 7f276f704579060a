// plimsoll-wasm-worker SOCKET PAGES: runs hostile JavaScript for the daemon, over the socket it is given.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "os/system_clock.h"
#include "providers/wasm/engine/saved_image.h"
#include "providers/wasm/worker/worker.h"

namespace {

std::optional<std::uint32_t> Number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  const auto socket = argc == 3 ? Number(argv[1]) : std::nullopt;
  const auto pages = argc == 3 ? Number(argv[2]) : std::nullopt;
  if (!socket || *socket > plimsoll::wasm::kHighestSocket || !pages || *pages < plimsoll::wasm::kMinPages ||
      *pages > plimsoll::wasm::kFourGiBPages) {
    return static_cast<int>(plimsoll::wasm::ExitStatus::kUsage);
  }
  const plimsoll::os::SystemClock clock;
  return static_cast<int>(plimsoll::wasm::RunWorker({.socket = static_cast<int>(*socket),
                                                     .image = plimsoll::wasm::SavedImage(),
                                                     .max_pages = std::min(*pages, plimsoll::wasm::kMaxPages),
                                                     .clock = clock}));
}
