// plimsoll-wasm-image FILE: makes the image that is built into the worker program. Runs when the program is built.
#include <cstdio>
#include <fstream>
#include <string>

#include "os/system_clock.h"
#include "providers/wasm/engine/builder.h"
#include "providers/wasm/worker/guest_thread_unsafe.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    return 2;
  }
  plimsoll::base::Result<std::string> image(plimsoll::base::Fault{plimsoll::base::FaultKind::kInternal, "no thread"});
  const auto build = [](void* out) {
    const plimsoll::os::SystemClock clock;
    *static_cast<plimsoll::base::Result<std::string>*>(out) = plimsoll::wasm::BuildImage(clock);
  };
  if (!plimsoll::wasm::RunOnGuestThread(build, &image) || !image) {
    std::fprintf(stderr, "plimsoll-wasm-image: %s\n", std::string(plimsoll::base::TextOf(image.error())).c_str());
    return 1;
  }
  std::ofstream file(argv[1], std::ios::binary);
  file << *image;
  return file.flush() ? 0 : 1;
}
