#include "embed/build.h"

#include <algorithm>
#include <string>
#include <vector>

#include "os/executable.h"
#include "providers/disabled/provider.h"
#include "providers/wasm/provider.h"
#include "providers/wasm/worker_program.h"

namespace plimsoll::embed {
namespace {

using Built = base::Result<std::unique_ptr<provider::Provider>>;

// The worker program of an installed library stands beside the library; that of a program built with it beside the
// program. The second error is the one to show: it names the paths an operator can act on.
base::Result<std::string> FindWorkerProgram(const std::string& libexec) {
  const auto library = os::FileHolding(reinterpret_cast<const void*>(&FindWorkerProgram));
  if (library) {
    if (auto worker = wasm::FindWorker(*library, libexec)) {
      return worker;
    }
  }
  const auto program = os::OwnExecutable();
  return program ? wasm::FindWorker(*program, libexec) : program;
}

Built BuildWasm(const Options& options, const base::Clock& clock, base::Random& random, base::LogSink& log) {
  auto worker = FindWorkerProgram(options.libexec.string());
  if (!worker) {
    return worker.error();
  }
  auto provider = wasm::Provider::Create({.worker_program = std::move(*worker),
                                          .memory_mb = options.memory_mb,
                                          .max_concurrent = static_cast<std::uint32_t>(options.max_concurrent),
                                          .cores = 0},
                                         clock, random, log);
  if (!provider) {
    return provider.error();
  }
  return std::unique_ptr<provider::Provider>(std::move(*provider));
}

}  // namespace

Built BuildProvider(const Options& options, const base::Clock& clock, base::Random& random, base::LogSink& log) {
  if (options.provider.empty()) {
    return std::unique_ptr<provider::Provider>(std::make_unique<disabled::Provider>());
  }
  if (options.provider == "wasm") {
    return BuildWasm(options, clock, random, log);
  }
  return base::Fault{base::FaultKind::kUnavailable, "provider: this build holds wasm, and none when it is empty"};
}

}  // namespace plimsoll::embed
