// plimsoll-wasm-image FILE: makes the image that is built into the worker program. Runs when the program is built.
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>

#include "os/system_clock.h"
#include "providers/wasm/engine/builder.h"
#include "providers/wasm/worker/guest_thread_unsafe.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    return 2;
  }
  std::optional<plimsoll::base::Result<std::string>> image;
  const auto build = [](void* out) {
    const plimsoll::os::SystemClock clock;
    *static_cast<std::optional<plimsoll::base::Result<std::string>>*>(out) = plimsoll::wasm::BuildImage(clock);
  };
  if (!plimsoll::wasm::RunOnGuestThread(build, &image) || !image->has_value()) {
    std::fprintf(stderr, "plimsoll-wasm-image: %s\n",
                 image ? std::string(plimsoll::base::TextOf(image->error())).c_str() : "no thread");
    return 1;
  }
  std::ofstream file(argv[1], std::ios::binary);
  file << **image;
  return file.flush() ? 0 : 1;
}
