#include "providers/wasm/provider.h"
#include "tests/conformance/suite.h"

namespace plimsoll::conformance {
namespace {

const Candidate kWasm = {
    .name = "wasm",
    .tier = isolation::Tier::kProcess,
    .abilities = 0,
    .make = [](const base::Clock& clock, base::Random& random,
               base::LogSink& log) -> base::Result<std::unique_ptr<provider::Provider>> {
      auto made = wasm::Provider::Create(
          {.worker_program = PLIMSOLL_BIN_DIR "/plimsoll-wasm-worker", .max_concurrent = 4, .cores = 1}, clock, random,
          log);
      if (!made) {
        return made.error();
      }
      return std::unique_ptr<provider::Provider>(std::move(*made));
    }};

const bool kRegistered = [] {
  RegisterLaws(kWasm);
  return true;
}();

}  // namespace
}  // namespace plimsoll::conformance
